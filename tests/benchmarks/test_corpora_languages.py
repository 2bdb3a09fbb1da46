"""Each language's rules on small sources: what is found, how it is documented, what is cut."""

import textwrap
from collections import Counter

import pytest

pytest.importorskip("tree_sitter", reason="corpora are extracted with tree-sitter")
filters = pytest.importorskip(
    "benchmarks.corpora.filters", reason="benchmarks are importable from the repository's root only"
)

from benchmarks.corpora.functions import Function, first_paragraph  # noqa: E402
from benchmarks.corpora.languages import LANGUAGES  # noqa: E402
from benchmarks.corpora.languages.language import parse  # noqa: E402


def kept(language: str, path: str, source: str) -> dict[str, Function]:
    """The functions that pass every filter, by symbol."""
    pytest.importorskip(LANGUAGES[language].grammar, reason=f"no grammar for {language}")
    data = textwrap.dedent(source).encode()
    found = filters.functions_of_file(LANGUAGES[language], "p", "1", path, data, Counter())
    return {function.symbol: function for function in found}


GO = """
    package server

    import "fmt"

    // Server answers requests.
    type Server struct{}

    var answer = 42 // trailing comments document nothing
    func bare() int {
        return answer
    }

    // Listen waits for
    // connections on port.
    //
    // It never returns.
    //go:noinline
    func (s *Server[T]) Listen(port int) error {
        // the port may be zero
        fmt.Println(port) /* say so */
        return nil
    }

    /*
    Parse reads one number.
    */
    func Parse(text string) int {
        return 0 // always "// zero"
    }
"""


def test_go_documentation_is_the_comment_right_above_without_directives():
    found = kept("go", "server.go", GO)
    assert list(found) == ["Server.Listen", "Parse"]
    assert found["Server.Listen"].documentation == "Listen waits for connections on port."
    assert found["Parse"].documentation == "Parse reads one number."


def test_go_published_code_keeps_inner_comments_and_stripped_code_does_not():
    listen = kept("go", "server.go", GO)["Server.Listen"]
    assert "the port may be zero" in listen.published
    assert "Listen waits" not in listen.published
    assert listen.stripped == (
        "func (s *Server[T]) Listen(port int) error {\n    fmt.Println(port)\n    return nil\n}"
    )


def test_a_comment_marker_inside_a_string_is_code():
    source = """
        package p
        // Join makes an address of a host.
        func Join(host string) string {
            return "http://" + host
        }
    """
    assert '"http://" + host' in kept("go", "p.go", source)["Join"].stripped


RUBY = """
    # A list of things.
    class List
      ##
      # Adds one thing to the list.
      #
      # @param thing [Object]
      # rubocop:disable Foo
      def add(thing)
        # grow first
        @things << thing
      end

      # Opens the list of a file.
      # @return [List]
      def self.open(path)
        new(path)
      end

      # Compares this list with that list.
      def ==(other)
        other.things == things
      end
    end

    =begin
    Counts all the things.
    =end
    def count
      "# not a comment"
    end
"""


def test_ruby_documentation_is_the_hash_lines_or_the_block_above():
    found = kept("ruby", "list.rb", RUBY)
    assert {symbol: function.documentation for symbol, function in found.items()} == {
        "List.add": "Adds one thing to the list.",
        "List.open": "Opens the list of a file.",
        "count": "Counts all the things.",
    }
    assert "grow first" in found["List.add"].published
    assert "grow first" not in found["List.add"].stripped
    assert "# not a comment" in found["count"].stripped


PYTHON = '''
    class Stack:
        """A stack of plates."""

        def push(self, plate):
            # plates are heavy
            """Put one plate on top.

            :param plate: any plate
            """
            self.plates.append(plate)
            return "# not a comment"

        def __len__(self):
            """The number of all plates."""
            plates = self.plates
            return len(plates)

    def outer(x):
        r"""Make a closure over x."""
        def inner(y):
            """Add x and y together."""
            total = x + y
            return total
        return inner

    def undocumented(x):
        y = x
        return "not a docstring"
'''


def test_python_published_code_contains_its_docstring_and_stripped_code_does_not():
    found = kept("python", "stack.py", PYTHON)
    push = found["Stack.push"]
    assert push.documentation == "Put one plate on top."
    assert "Put one plate on top." in push.published
    assert push.stripped == (
        "def push(self, plate):\n"
        "        self.plates.append(plate)\n"
        '        return "# not a comment"'
    )


def test_python_leaves_out_dunder_methods_and_functions_inside_functions():
    found = kept("python", "stack.py", PYTHON)
    assert list(found) == ["Stack.push", "outer"]
    assert found["outer"].documentation == "Make a closure over x."


PHP = """
    <?php
    /** The one cart of a visitor. */
    class Cart {
        /**
         * Adds an item to this cart.
         *
         * @param Item $item
         */
        #[Pure]
        public function add(Item $item): void {
            # hash comment
            $this->items[] = $item; // slash comment
            $this->total += 1;
        }

        /* Not a documentation block at all. */
        public function plain() {
            return 1;
        }

        /** Makes a new cart now. */
        public function __construct() {
            $this->items = [];
        }
    }
"""


def test_php_documentation_is_the_doc_block_and_magic_methods_are_left_out():
    found = kept("php", "cart.php", PHP)
    assert list(found) == ["Cart.add"]
    add = found["Cart.add"]
    assert add.documentation == "Adds an item to this cart."
    assert "comment" in add.published
    assert "comment" not in add.stripped


JAVA = """
    /** Keeps all accounts. */
    public class Bank {
        /** Creates an empty bank somewhere. */
        public Bank() {
            accounts = null;
        }

        /**
         * Moves money between {@link Account}s.
         * <p>Fails when there is none.
         * @param amount how much
         */
        @Override
        public void move(int amount) {
            // check first
            check(amount);
        }

        /** Moves money to one account. */
        public void move(int amount, Account to) {
            to.add(amount);
        }

        /** Says what this bank is. */
        public String toString() {
            return "/* bank */";
        }
    }
"""


def test_java_documentation_ends_at_a_paragraph_tag_and_constructors_are_left_out():
    pytest.importorskip("tree_sitter_java", reason="no grammar for java")
    found = filters.functions_of_file(
        LANGUAGES["java"], "p", "1", "Bank.java", textwrap.dedent(JAVA).encode(), Counter()
    )
    assert [(function.symbol, function.documentation) for function in found] == [
        ("Bank.move", "Moves money between {@link Account}s."),
        ("Bank.move", "Moves money to one account."),
    ]
    assert found[0].published.startswith("@Override")
    assert "check first" not in found[0].stripped


JAVASCRIPT = """
    /**
     * Sums a list of numbers.
     * @param {number[]} list
     */
    export function sum(list) {
      // start at zero
      return list.reduce((a, b) => a + b, 0);
    }

    /** Doubles one single number. */
    const twice = (x) => {
      return x * 2;
    };

    /** Opens a file by name. */
    exports.open = File.prototype.open = function (name) {
      return new File(name);
    };

    var first = 1, second = function () {
      return first;
    };

    const api = {
      /** Closes the file at last. */
      close: function () {
        return null;
      },
      /** Reads one line of it. */
      read() {
        return "";
      },
    };

    class Queue {
      /** Takes the oldest element out. */
      pop() {
        return this.list.shift();
      }
    }

    /* Only a block without two stars. */
    function plain() {
      return 1;
    }
"""


def test_javascript_documentation_stands_before_the_statement_that_names_the_function():
    found = kept("javascript", "sum.js", JAVASCRIPT)
    assert {symbol: function.documentation for symbol, function in found.items()} == {
        "sum": "Sums a list of numbers.",
        "twice": "Doubles one single number.",
        "File.prototype.open": "Opens a file by name.",
        "close": "Closes the file at last.",
        "read": "Reads one line of it.",
        "Queue.pop": "Takes the oldest element out.",
    }
    assert found["File.prototype.open"].published.startswith("function (name) {")
    assert "start at zero" not in found["sum"].stripped


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_broken_file_is_read_without_error(language):
    pytest.importorskip(LANGUAGES[language].grammar, reason=f"no grammar for {language}")
    for data in (b"", b"\xff\xfe\x00}}}{{{", b"func ( def /** class \n" * 20):
        assert list(LANGUAGES[language].find(parse(LANGUAGES[language], data))) == []


@pytest.mark.parametrize(
    ("documentation", "paragraph"),
    [
        ("\n  One line.  \n\nAnother.", "One line."),
        ("Two\n  lines.\n@param x", "Two lines."),
        ("Mail me@example.org today", "Mail me@example.org today"),
        ("@return nothing", ""),
        ("", ""),
    ],
)
def test_the_first_paragraph_ends_at_a_blank_line_or_a_tag(documentation, paragraph):
    assert first_paragraph(documentation) == paragraph


def test_a_go_line_comment_continues_the_block_above_it():
    code = (
        "package a\n\n/*\nchar * g_path (GFile *file);\n*/\n// Path is a wrapper.\n"
        "func Path() {\n\tx()\n}\n"
    )
    assert (
        kept("go", "a.go", code)["Path"].documentation
        == "char * g_path (GFile *file); Path is a wrapper."
    )
