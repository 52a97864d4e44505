"""All routes of an app; a router that was included stands behind an object of its own, with its own paths."""

from fastapi.routing import APIRoute


def routes_of(app):
    """List (path, route) of every route that FastAPI serves; none of ours is included under a prefix."""
    waiting, found = [*app.routes], []
    while waiting:
        route = waiting.pop()
        if isinstance(route, APIRoute):
            found.append((route.path, route))
        elif hasattr(route, "original_router"):
            waiting.extend(route.original_router.routes)
    assert len(found) > 40, "the routes are not where they were"
    return found
