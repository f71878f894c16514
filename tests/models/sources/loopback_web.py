"""A package registry and a hub of our own, on the loopback interface."""

import hashlib
import io
import json
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Web:
    """Pages by path, with ranges; can drop connections and ask for credentials."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[str, bytes]] = {}
        self.asked: list[tuple[str, str | None]] = []
        """(path, Range) of every request."""
        self.credentials: list[str | None] = []
        self.drop_after: list[int] = []
        """Bytes after which the next answers break off."""
        self.ranges = True
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.host}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        wanted = handler.headers.get("Range")
        self.asked.append((handler.path, wanted))
        self.credentials.append(handler.headers.get("Authorization"))
        if handler.path not in self.pages:
            handler.send_error(404)
            return
        kind, content = self.pages[handler.path]
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.ranges else 0
        if start and start >= len(content):
            handler.send_response(416)
            handler.send_header("Content-Range", f"bytes */{len(content)}")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        body = content[start:]
        handler.send_response(206 if start else 200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if self.drop_after and kind == "application/octet-stream":
            handler.wfile.write(body[: self.drop_after.pop(0)])
            handler.close_connection = True
            return
        handler.wfile.write(body)

    def put(self, path: str, content: bytes, kind: str = "application/octet-stream") -> None:
        self.pages[path] = (kind, content)

    def index(self, project: str, wheels: dict[str, bytes], *, html: bool = False) -> None:
        """Publish a project's wheels at /simple/, in JSON or in HTML."""
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in wheels.items()}
        for name, content in wheels.items():
            self.put(f"/files/{name}", content)
        if html:
            anchors = [
                f'<a href="../../files/{name}#sha256={digest}">{name}</a>'
                for name, digest in hashes.items()
            ]
            self.put(f"/simple/{project}/", "\n".join(anchors).encode(), "text/html")
            return
        files = [
            {"filename": name, "url": f"../../files/{name}", "hashes": {"sha256": digest}}
            for name, digest in hashes.items()
        ]
        kind = "application/vnd.pypi.simple.v1+json"
        self.put(f"/simple/{project}/", json.dumps({"files": files}).encode(), kind)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def zipped(members: dict[str, bytes]) -> bytes:
    """Make an archive."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return target.getvalue()
