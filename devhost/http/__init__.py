"""The HTTP trigger and the endpoints under /admin."""
