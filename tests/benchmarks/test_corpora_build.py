"""From packages to a BEIR folder, on an archive made here and read through file URLs."""

import gzip
import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("tree_sitter_go", reason="corpora are extracted with tree-sitter")
chain = pytest.importorskip(
    "benchmarks.corpora.build", reason="benchmarks are importable from the repository's root only"
)

from benchmarks.corpora import contents, pinned  # noqa: E402
from benchmarks.corpora.manifest import FOLDER, Manifest, table  # noqa: E402
from benchmarks.corpora.registries import debian  # noqa: E402
from benchmarks.corpora.sample import draw  # noqa: E402
from benchmarks.corpora.selections import PAPER_SIZES  # noqa: E402

from qidf.errors import InputError, InvalidArgumentError  # noqa: E402

WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heath",
    "inlet",
    "jetty",
    "knoll",
    "larch",
]


def go_file(package: int) -> str:
    """Ten documented functions whose names no other package has."""
    functions = []
    for number in range(10):
        name = f"Fn{package}x{number}"
        body = "\n".join(f'\tuse("{word}{package}{number}")' for word in WORDS)
        functions.append(
            f"// {name} does the work of {WORDS[number]} {package}.\nfunc {name}() {{\n{body}\n}}\n"
        )
    return "package p\n\n" + "\n".join(functions)


def tarball(files: dict[str, str], mode: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


def deb(files: dict[str, str]) -> bytes:
    """A .deb: an ar archive whose third member is the tarball of the files."""
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.xz": tarball({}, "w:xz"),
        "data.tar.xz": tarball({f"./{name}": text for name, text in files.items()}, "w:xz"),
    }
    out = b"!<arch>\n"
    for name, data in members.items():
        header = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n"
        out += header.encode() + data + b"\n" * (len(data) % 2)
    return out


@pytest.fixture
def archive(tmp_path, monkeypatch) -> Path:
    """An archive of five packages, one of them a source tarball, and the list that pins them."""
    root = tmp_path / "archive"
    packages = []
    for number in range(5):
        files = {f"src/p{number}/a.go": go_file(number), f"src/p{number}/a_test.go": go_file(99)}
        is_source = number == 4
        content = tarball(files, "w:gz") if is_source else deb(files)
        name = f"p{number}.orig.tar.gz" if is_source else f"p{number}.deb"
        (root / "pool").mkdir(parents=True, exist_ok=True)
        (root / "pool" / name).write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        packages.append(
            pinned.PinnedPackage(
                debian.REGISTRY, f"p{number}", "1", f"pool/{name}", len(content), digest
            )
        )
    monkeypatch.setattr(pinned, "FOLDER", tmp_path)
    (tmp_path / "go.tsv").write_text(pinned.render(packages))
    return root


def run(archive: Path, output: Path, cache: str = "cache", **options) -> Manifest:
    settings = chain.Settings(
        cache=archive.parent / cache,
        archive=archive.as_uri(),
        allow_missing=options.pop("allow_missing", False),
        processes=1,
        progress=False,
    )
    size = chain.Size(**{"num_docs": 40, "num_queries": 15, **options})
    return chain.build("go", size, output, settings, lambda line: None)


def rows(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_a_build_writes_documents_queries_in_both_forms_and_judgements(archive, tmp_path):
    out = tmp_path / "out"
    manifest = run(archive, out)
    documents = {row["_id"]: row for row in rows(out / "corpus.jsonl.gz")}
    queries = rows(out / "queries.jsonl.gz")
    published = rows(out / "queries.published.jsonl.gz")
    judged = [line.split("\t") for line in (out / "qrels/test.tsv").read_text().splitlines()]
    assert (len(documents), len(queries)) == (40, 15)
    assert judged[0] == ["query-id", "corpus-id", "score"]
    assert [row["_id"] for row in queries] == [row["_id"] for row in published]
    assert [row["_id"] for row in queries] == [line[0] for line in judged[1:]]
    for query, (_, doc_id, score) in zip(queries, judged[1:], strict=True):
        gold = documents[doc_id]
        assert score == "1"
        assert gold["metadata"] == query["metadata"]
        assert set(gold["metadata"]) == {"package", "version", "path", "symbol"}
        assert query["text"].startswith(f"func {gold['metadata']['symbol']}()")
        assert gold["text"].startswith(gold["metadata"]["symbol"])
    assert Manifest.from_path(out / "manifest.json") == manifest
    assert manifest.function_steps["functions"] == manifest.function_steps["near_code"] == 50
    assert manifest.file_steps["tests"] == 5


def test_equal_builds_give_equal_bytes_and_another_seed_another_sample(archive, tmp_path):
    first = run(archive, tmp_path / "first")
    # From nothing, and over a folder that already holds another corpus.
    run(archive, tmp_path / "again", seed=7)
    again = run(archive, tmp_path / "again", cache="other cache")
    assert first == again
    assert first.files_sha256 != run(archive, tmp_path / "seeded", seed=7).files_sha256
    assert sorted(path.name for path in (tmp_path / "again").iterdir()) == [
        "corpus.jsonl.gz",
        "manifest.json",
        "qrels",
        "queries.jsonl.gz",
        "queries.published.jsonl.gz",
    ]


def test_a_smaller_sample_is_part_of_a_larger_one_and_keeps_its_queries(archive, tmp_path):
    def texts(folder: Path, name: str) -> set[str]:
        return {row["text"] for row in rows(folder / name)}

    run(archive, tmp_path / "small", num_docs=20)
    run(archive, tmp_path / "large", num_docs=45)
    small, large = tmp_path / "small", tmp_path / "large"
    assert texts(small, "corpus.jsonl.gz") < texts(large, "corpus.jsonl.gz")
    assert texts(small, "queries.jsonl.gz") == texts(large, "queries.jsonl.gz")


def test_golds_do_not_gather_at_the_front_of_the_documents():
    sample = draw(list(range(1000)), 1000, 200)  # type: ignore[arg-type]
    assert sorted(sample.documents) == list(range(1000))
    assert 400 < sum(sample.golds) / 200 < 600
    assert sample.golds != sorted(sample.golds)


def test_more_documents_than_there_are_is_refused_with_the_number_there_is(archive, tmp_path):
    with pytest.raises(InputError, match="50 functions pass the filters, 51 were asked for"):
        run(archive, tmp_path / "out", num_docs=51)
    with pytest.raises(InvalidArgumentError, match="can't be drawn"):
        run(archive, tmp_path / "out", num_docs=10, num_queries=11)
    assert not (tmp_path / "out").exists()
    assert run(archive, tmp_path / "out", num_docs=51, or_fewer=True).num_docs == 50


def test_a_corrupted_download_is_fetched_again(archive, tmp_path):
    first = run(archive, tmp_path / "first")
    for path in (tmp_path / "cache" / "downloads").rglob("*.deb"):
        path.write_bytes(b"damage")
    assert run(archive, tmp_path / "second") == first


def test_a_missing_package_stops_the_build_unless_it_is_allowed(archive, tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.corpora.download.time.sleep", lambda seconds: None)
    (archive / "pool" / "p2.deb").unlink()
    with pytest.raises(InputError, match="1 of 5 pinned packages are missing"):
        run(archive, tmp_path / "out", num_docs=30)
    manifest = run(archive, tmp_path / "out", num_docs=30, allow_missing=True)
    assert manifest.missing == ["p2 1"]
    assert manifest.num_packages == 4


def test_a_file_that_is_no_package_is_reported_by_name(tmp_path):
    for name in ("broken.deb", "broken.tar.xz", "broken.jar"):
        (tmp_path / name).write_bytes(b"not an archive")
        with pytest.raises(InputError, match=name):
            contents.source_files(tmp_path / name, (".go",))


def test_the_selection_of_packages_reads_names_dependencies_and_checksums():
    listed = list(
        debian.paragraphs(
            "Package: ruby-a\nVersion: 1\nDepends: ruby\nFilename: pool/a.deb\nSize: 3\n"
            f"SHA256: {'a' * 64}\n\n"
            "Package: ruby-a-doc\nVersion: 1\nFilename: pool/b.deb\nSize: 3\n"
            f"SHA256: {'b' * 64}\n\n"
            "Package: vast\nVersion: 1\nDepends: ruby\nFilename: pool/c.deb\nSize: 99\n"
            f"SHA256: {'c' * 64}\n"
        )
    )
    by_name = debian.binary_packages(listed, debian.Binaries("ruby-.*", unless=".*-doc"))
    by_need = debian.binary_packages(listed, debian.Binaries(".*", depends="ruby", max_bytes=9))
    assert [package.name for package in by_name] == ["ruby-a"]
    assert by_name == by_need


def test_a_source_package_is_its_upstream_tarball_and_nothing_else():
    listed = list(
        debian.paragraphs(
            "Package: tool\nBinary: tool,\n tool-doc\nVersion: 1-2\nDirectory: pool/t\n"
            "Build-Depends: debhelper,\n golang-any\nChecksums-Sha256:\n"
            f" {'a' * 64} 10 tool_1.orig.tar.gz\n {'b' * 64} 10 tool_1-2.debian.tar.xz\n"
            f" {'c' * 64} 10 tool_1.orig-extra.tar.gz\n {'d' * 64} 10 tool_1-2.dsc\n"
        )
    )
    (found,) = debian.source_packages(listed, debian.Sources(build_depends="golang-any"))
    assert (found.name, found.location) == ("tool", "pool/t/tool_1.orig.tar.gz")
    assert debian.source_packages(listed, debian.Sources(unless="tool-.*")) == []


def test_every_committed_manifest_belongs_to_the_committed_list_and_has_a_row_in_the_readme():
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    manifests = [Manifest.from_path(path) for path in sorted(FOLDER.glob("*.json"))]
    assert {manifest.language for manifest in manifests} == set(PAPER_SIZES)
    assert table(manifests) in readme
    for manifest in manifests:
        packages = pinned.read(pinned.list_path(manifest.language))
        assert manifest.package_list_sha256 == pinned.checksum(packages)
        assert not manifest.missing
        # Smaller than the paper's is said in words.
        paper_docs, _ = PAPER_SIZES[manifest.language]
        sentence = f"{manifest.num_docs:,} documents instead of {paper_docs:,}"
        assert (sentence in readme) == (manifest.num_docs < paper_docs)
