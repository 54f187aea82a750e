defmodule Consumer do
  @moduledoc "Started with the release: encodes, decodes, and ends the node with status 0."
  use Application

  def start(_type, _args) do
    :ok = :enif_protobuf.load_proto(Path.join(:code.priv_dir(:consumer), "person.proto"))
    person = {:Person, "abc def", 345, "a@example.com"}
    ^person = :enif_protobuf.decode(:enif_protobuf.encode(person), :Person)
    :ok = :enif_protobuf.load_proto(Path.join(:code.priv_dir(:consumer), "order.proto"))
    :ok = Shop.check()
    IO.puts("#{__MODULE__} under #{:code.lib_dir(:enif_protobuf)}: #{inspect(person)}")
    System.stop(0)
    Supervisor.start_link([], strategy: :one_for_one)
  end
end
