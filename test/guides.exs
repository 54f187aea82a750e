# What the pages show of Elixir is so: what stands behind `iex>` is evaluated, and what stands below must come out; the
# rest must be Elixir. test/guides_tests.erl does the same for Erlang. Run with the pages as arguments.

check = fn block, page ->
  case Regex.scan(~r/^iex\(\d+\)> (.*)\n(?:(?!iex)(.*))$/m, block) do
    [] ->
      Code.string_to_quoted!(block)

    steps ->
      Enum.reduce(steps, [], fn [_, expression, expected], binding ->
        {value, binding} = Code.eval_string(expression, binding)
        {wanted, _} = Code.eval_string(expected)
        if value != wanted, do: raise("#{page}: #{expression} is #{inspect(value)}, not #{expected}")
        binding
      end)
  end
end

shown = fn page -> Regex.scan(~r/^```elixir\n(.*?)^```$/ms, File.read!(page), capture: :all_but_first) end
blocks = for page <- System.argv(), [block] <- shown.(page), do: {block, page}
if blocks == [], do: raise("the pages show no Elixir")
Enum.each(blocks, fn {block, page} -> check.(block, page) end)
