"""Answers what Python's protobuf makes of a schema, of bytes and of values: the tests compare with it.

Requests and answers are packets: four bytes of length, then a letter and the rest. Requests:

  S <.proto text>              compile a schema, which stands for all later requests
  D <message> NUL <bytes>      decode; answers with the text form
  E <message> NUL <text form>  encode; answers with the bytes
  R <message> NUL <bytes>      decode messages that each stand behind their length; answers with a text form a line
  W <message> NUL <lines>      encode the text form of each line, behind its length; answers with the bytes

An answer starts with + and holds the result, or with - and says what is wrong.

The text form is {number=value,...} by rising number, with what is absent left out; [...] for repeated fields,
<key:value,...> for maps, sorted as text; '...' around the hexadecimal digits of strings and bytes, the 16 hexadecimal
digits of the double that a float is, or nan; t and f; numbers for enums.
"""

import io
import math
import os
import struct
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, proto
from google.protobuf.descriptor import FieldDescriptor as Field


class Schema:
    """The messages of one .proto text."""

    def __init__(self, protoc, text):
        with tempfile.TemporaryDirectory() as directory:
            source = os.path.join(directory, "schema.proto")
            target = os.path.join(directory, "schema.pb")
            with open(source, "wb") as file:
                file.write(text)
            command = [*protoc, "-I" + directory, "--descriptor_set_out=" + target, source]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode != 0:
                raise ValueError(run.stderr)
            with open(target, "rb") as file:
                files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
        self.pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            self.pool.Add(file)

    def new(self, name):
        return message_factory.GetMessageClass(self.pool.FindMessageTypeByName(name))()


def is_map(field):
    message = field.message_type
    return message is not None and message.GetOptions().map_entry


def is_message(field):
    return field.type in (Field.TYPE_MESSAGE, Field.TYPE_GROUP)


def to_text(message):
    parts = []
    for field, value in sorted(message.ListFields(), key=lambda pair: pair[0].number):
        if is_map(field):
            key, item = (field.message_type.fields_by_name[name] for name in ("key", "value"))
            entries = sorted(value_text(key, k) + ":" + value_text(item, value[k]) for k in value)
            text = "<" + ",".join(entries) + ">"
        elif isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
            text = value_text(field, value)
        else:
            text = "[" + ",".join(value_text(field, v) for v in value) + "]"
        parts.append(f"{field.number}={text}")
    return "{" + ",".join(parts) + "}"


def value_text(field, value):
    if is_message(field):
        return to_text(value)
    if field.type == Field.TYPE_BOOL:
        return "t" if value else "f"
    if field.type in (Field.TYPE_FLOAT, Field.TYPE_DOUBLE):
        return "nan" if math.isnan(value) else struct.pack(">d", value).hex()
    if field.type == Field.TYPE_STRING:
        value = value.encode()
    if isinstance(value, bytes):
        return "'" + value.hex() + "'"
    return str(value)


class Parser:
    """Fills a message from the text form."""

    def __init__(self, text):
        self.text = text
        self.at = 0

    def peek(self):
        return self.text[self.at : self.at + 1]

    def take(self, character):
        if self.peek() != character:
            raise ValueError(f"no {character} at {self.at}")
        self.at += 1

    def word(self):
        start = self.at
        while self.peek() not in ("", ",", "]", ">", "}", ":", "="):
            self.at += 1
        return self.text[start : self.at]

    def separated(self, end):
        """Once for each of the elements up to the end."""
        while self.peek() != end:
            yield
            if self.peek() == ",":
                self.at += 1
        self.take(end)

    def message(self, message):
        message.SetInParent()
        self.take("{")
        for _ in self.separated("}"):
            field = message.DESCRIPTOR.fields_by_number[int(self.word())]
            self.take("=")
            self.field(message, field)

    def field(self, message, field):
        if is_map(field):
            self.map(getattr(message, field.name), field)
        elif self.peek() == "[":
            self.take("[")
            values = getattr(message, field.name)
            for _ in self.separated("]"):
                if is_message(field):
                    self.message(values.add())
                else:
                    values.append(self.value(field))
        elif is_message(field):
            self.message(getattr(message, field.name))
        else:
            setattr(message, field.name, self.value(field))

    def map(self, values, field):
        key, item = (field.message_type.fields_by_name[name] for name in ("key", "value"))
        self.take("<")
        for _ in self.separated(">"):
            k = self.value(key)
            self.take(":")
            if is_message(item):
                self.message(values[k])
            else:
                values[k] = self.value(item)

    def value(self, field):
        word = self.word()
        if field.type == Field.TYPE_BOOL:
            return word == "t"
        if field.type in (Field.TYPE_FLOAT, Field.TYPE_DOUBLE):
            return math.nan if word == "nan" else struct.unpack(">d", bytes.fromhex(word))[0]
        if field.type == Field.TYPE_STRING:
            return bytes.fromhex(word[1:-1]).decode()
        if field.type == Field.TYPE_BYTES:
            return bytes.fromhex(word[1:-1])
        return int(word)


class Oracle:
    """The schema at hand, and the answers."""

    def __init__(self, protoc):
        self.protoc = protoc
        self.schema = None

    def answer(self, kind, rest):
        if kind == b"S":
            self.schema = Schema(self.protoc, rest)
            return b""
        name, data = rest.split(b"\0", 1)
        name = name.decode()
        if kind == b"D":
            message = self.schema.new(name)
            message.ParseFromString(data)
            return to_text(message).encode()
        if kind == b"E":
            return self.parsed(name, data).SerializePartialToString()
        stream = io.BytesIO(data if kind == b"R" else b"")
        if kind == b"R":
            kind_of_message = type(self.schema.new(name))
            messages = iter(lambda: proto.parse_length_prefixed(kind_of_message, stream), None)
            return b"".join(to_text(message).encode() + b"\n" for message in messages)
        for line in data.splitlines():
            proto.serialize_length_prefixed(self.parsed(name, line), stream)
        return stream.getvalue()

    def parsed(self, name, text):
        message = self.schema.new(name)
        Parser(text.decode()).message(message)
        return message


def read(size):
    data = sys.stdin.buffer.read(size)
    if len(data) < size:
        sys.exit(0)
    return data


def main():
    sys.setrecursionlimit(10000)
    oracle = Oracle(sys.argv[1:])
    while True:
        request = read(struct.unpack(">I", read(4))[0])
        try:
            answer = b"+" + oracle.answer(request[:1], request[1:])
        except Exception as error:  # Whatever it is, the test that asked tells it.
            answer = b"-" + f"{type(error).__name__}: {error}".encode()
        sys.stdout.buffer.write(struct.pack(">I", len(answer)) + answer)
        sys.stdout.buffer.flush()


main()
