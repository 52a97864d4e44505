"""A browser for tests: it fetches pages, reads their forms and posts them as a person would."""

from html.parser import HTMLParser
from urllib.parse import urlsplit

PASSWORD = "correct horse battery"
HOME = "http://testserver"
VOID = {"input", "br", "meta", "link", "img", "hr"}


class Form:
    def __init__(self, action, method):
        self.action, self.method, self.fields, self.buttons = action, method, [], []

    def data(self, **changed):
        """The form's fields as they stand, with some changed; None leaves one out."""
        given = {}
        for name, value in self.fields:
            given.setdefault(name, []).append(value)
        for name, value in changed.items():
            given.pop(name, None)
            if value is not None:
                given[name] = value if isinstance(value, list) else [value]
        return given


class Page(HTMLParser):
    """Forms, links, tags and visible words of a page."""

    def __init__(self, html):
        super().__init__()
        self.html, self.forms, self.links, self.tags, self.words = html, [], [], [], []
        self._form = self._area = self._select = None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        self.tags.append((tag, a))
        if tag == "form":
            self._form = Form(a.get("action", ""), a.get("method", "get"))
            self.forms.append(self._form)
        elif tag == "a" and "href" in a:
            self.links.append(a["href"])
        elif self._form is not None:
            self._field(tag, a)

    def _field(self, tag, a):
        if tag == "button":
            self._form.buttons.append(a)
        elif tag == "textarea":
            self._area = [a["name"], ""]
        elif tag == "select":
            self._select = a["name"]
        elif tag == "option" and ("selected" in a or not any(n == self._select for n, _ in self._form.fields)):
            self._form.fields = [(n, v) for n, v in self._form.fields if n != self._select]
            self._form.fields.append((self._select, a.get("value", "")))
        elif tag == "input" and "name" in a and (a.get("type") not in ("checkbox", "radio") or "checked" in a):
            box = a.get("type") in ("checkbox", "radio")
            self._form.fields.append((a["name"], a.get("value", "on" if box else "")))

    def handle_endtag(self, tag):
        if tag == "form":
            self._form = None
        elif tag == "textarea" and self._area is not None:
            name, text = self._area
            self._form.fields.append((name, text.removeprefix("\n")))
            self._area = None

    def handle_data(self, data):
        if self._area is not None:
            self._area[1] += data
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def form(self, ending):
        found = [form for form in self.forms if form.action.endswith(ending)]
        assert found, f"no form ends with {ending}; there are {[f.action for f in self.forms]}"
        return found[0]

    def has_form(self, ending):
        return any(form.action.endswith(ending) for form in self.forms)


class Browser:
    def __init__(self, client):
        self.client = client

    @staticmethod
    def page(html):
        return Page(html)

    def get(self, path, status=200, **kind):
        response = self.client.get(path, **kind)
        assert response.status_code == status, (path, response.status_code, response.text[:600])
        return Page(response.text)

    def post(self, path, data, origin=HOME, **kind):
        headers = {"origin": origin} if origin else {}
        return self.client.post(path, data=data, headers=headers | kind.pop("headers", {}), **kind)

    def submit(self, form, **changed):
        """Post a form; gives the page that follows."""
        response = self.post(form.action, form.data(**changed))
        assert response.status_code == 303, (form.action, response.status_code, response.text[:800])
        parts = urlsplit(response.headers["location"])
        return self.get(f"{parts.path}?{parts.query}")

    def press(self, path, ending, **changed):
        """Open a page and press the button of one of its forms."""
        return self.submit(self.get(path).form(ending), **changed)

    def draft(self, draft):
        return self.get(f"/drafts/{draft['draftId']}")
