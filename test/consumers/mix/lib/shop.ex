defmodule Shop do
  @moduledoc "The messages of order.proto as structs."

  defmodule Item do
    @moduledoc "A line of an order."
    defstruct [:sku, quantity: 0]
  end

  defmodule Timestamp do
    @moduledoc "When it was ordered."
    defstruct seconds: 0, nanos: 0
  end

  defmodule Order do
    @moduledoc "All of it. Lists and maps begin empty, and what may be absent with `nil`."
    defstruct [:paid, :note, :ordered, id: 0, items: [], state: :NEW, labels: %{}]
  end

  @options [structs: %{Order: Order, "Order.Item": Item, Timestamp: Timestamp}]

  @doc "Raises where structs do not come out of the library as they went into it."
  def check do
    items = [%Item{sku: "A1", quantity: 2}, %Item{sku: "B2", quantity: 1}]
    paid = {:card, "4711"}
    labels = %{"lane" => "3"}
    order = %Order{id: 1, items: items, paid: paid, labels: labels, ordered: %Timestamp{seconds: 5}}

    # Nested ones, also in a list, are structs of their modules, with their fields and nothing else.
    bytes = :enif_protobuf.encode(order, :Order, @options)
    ^order = decoded = :enif_protobuf.decode(bytes, :Order, @options)
    %Order{items: [%Item{sku: "A1"} | _], ordered: %Timestamp{nanos: 0}, note: nil} = decoded
    true = inspect(decoded) =~ "%Shop.Item{sku: \"A1\", quantity: 2}"

    # The bytes are those of the record.
    lines = [{:"Order.Item", "A1", 2}, {:"Order.Item", "B2", 1}]
    record = {:Order, 1, lines, :NEW, [{"lane", "3"}], paid, :undefined, {:Timestamp, 5, 0}}
    ^bytes = :enif_protobuf.encode(record)
    ^record = :enif_protobuf.decode(bytes, :Order)

    # What is absent is nil both ways, and what is changed in Elixir is changed in the bytes.
    empty = %Order{}
    "" = :enif_protobuf.encode(empty, :Order, @options)
    ^empty = :enif_protobuf.decode("", :Order, @options)
    noted = %{order | note: "gift", ordered: nil, paid: {:cash, true}}
    ^noted = noted |> :enif_protobuf.encode(:Order, @options) |> :enif_protobuf.decode(:Order, @options)
    flat = [{:maps_oneof, :flat} | @options]
    %{cash: true, card: nil, __struct__: Order} = :enif_protobuf.decode(<<40, 1>>, :Order, flat)

    # Single values, read and set.
    %Item{sku: "B2", quantity: 1} = :enif_protobuf.get(bytes, :Order, [:items, 2], @options)
    [nil, %Timestamp{}] = :enif_protobuf.select(bytes, :Order, [[:note], [:ordered]], @options)
    changed = :enif_protobuf.set(bytes, :Order, [:items, 2], %Item{sku: "C3", quantity: 3}, @options)
    ["A1", "C3"] = :enif_protobuf.decode(changed, :Order, @options).items |> Enum.map(& &1.sku)

    # A struct of another module is none of these, and is told with its place.
    wrong = %{order | items: [%Timestamp{}]}

    try do
      :enif_protobuf.encode(wrong, :Order, @options)
    rescue
      error -> true = Exception.message(error) =~ "items"
    else
      other -> raise "#{inspect(wrong)} was encoded as #{inspect(other)}"
    end

    :ok
  end
end
