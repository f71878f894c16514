import httpx2
import pytest

from consilience.models.sources import SourceError
from consilience.models.sources.package_index import find, html_links, json_links, normal
from consilience.models.sources.pip_settings import PipSettings, parse, read

BASE = "https://me:pw@pypi.test/simple/a/"


def test_names_are_normalised():
    assert normal("My_Part.-1") == "my-part-1"


def test_a_page_in_json_gives_absolute_links_with_their_hashes():
    page = b'{"files": [{"url": "../x/a-1-py3-none-any.whl", "hashes": {"sha256": "ab"}}]}'
    (link,) = json_links(page, BASE)
    assert link.url == "https://me:pw@pypi.test/simple/x/a-1-py3-none-any.whl"
    assert (link.sha256, link.filename) == ("ab", "a-1-py3-none-any.whl")


def test_a_page_in_html_gives_the_same_and_other_hosts_see_no_credentials():
    page = (
        '<a href="https://cdn.test/a%2B1.whl#sha256=ab">x</a><a>none</a><a href="b.whl">b</a>'
    )
    first, second = html_links(page, BASE)
    assert (first.url, first.sha256) == ("https://cdn.test/a%2B1.whl", "ab")
    assert first.filename == "a+1.whl"
    assert second.sha256 is None


@pytest.mark.parametrize("page", [b"", b"[]", b'{"files": [3]}', b"{}"])
def test_a_page_that_is_none_is_a_source_error(page):
    with pytest.raises(SourceError):
        json_links(page, BASE)


def test_a_folder_laid_out_like_an_index_is_read(tmp_path):
    folder = tmp_path / "simple" / "a"
    folder.mkdir(parents=True)
    (folder / "index.html").write_text('<a href="../../files/A-1.0-py3-none-any.whl">A</a>')
    with httpx2.Client() as client:
        link = find(client, ((tmp_path / "simple").as_uri(),), (), "a==1.0")
    assert link.file == tmp_path / "files" / "A-1.0-py3-none-any.whl"


def test_what_no_index_has_says_what_each_answered_without_credentials():
    transport = httpx2.MockTransport(lambda request: httpx2.Response(403))
    with httpx2.Client(transport=transport) as client, pytest.raises(SourceError) as caught:
        find(client, ("https://me:pw@pypi.test/simple",), ("/no/such/folder",), "a==1.0")
    assert "https://pypi.test/simple: refused with 403" in str(caught.value)
    assert "pw" not in str(caught.value)


def test_another_version_and_a_source_package_are_not_taken():
    page = '<a href="a-1.1-py3-none-any.whl">x</a><a href="a-1.0.tar.gz">y</a>'
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, text=page))
    wanted = pytest.raises(SourceError, match="no wheel of that version")
    with httpx2.Client(transport=transport) as client, wanted:
        find(client, ("https://pypi.test/simple",), (), "a==1.0")


def test_later_sections_of_pip_s_configuration_win():
    listed = """
global.index-url='https://one/simple'
global.extra-index-url='https://a/simple\\nhttps://b/simple'
download.index-url='https://two/simple'
:env:.find-links='/wheels'
nonsense
global.cert=not quoted
"""
    assert parse(listed) == {
        "index-url": "https://two/simple",
        "extra-index-url": "https://a/simple\nhttps://b/simple",
        "find-links": "/wheels",
    }


def test_the_environment_is_read_and_uv_s_index_where_pip_has_none():
    assert read({"UV_DEFAULT_INDEX": "https://uv/simple"}).indexes[0] == "https://uv/simple"
    settings = read({"PIP_INDEX_URL": "https://x/simple", "PIP_EXTRA_INDEX_URL": "https://y/s"})
    assert settings.indexes == ("https://x/simple", "https://y/s")
    assert read({"PIP_NO_INDEX": "1"}) == PipSettings(indexes=())
