"""What the app calls itself."""

VERSION = "0.1.0"
