"""The OpenAPI document of the app: made from the models that validate, the routes that are registered, the limits that
hold. Nothing but the route that serves it imports this."""
