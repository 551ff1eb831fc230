"""Pages for people, made on the server; what they load is in them. Only the routes that serve one import this."""
