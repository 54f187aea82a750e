defmodule Consumer.MixProject do
  use Mix.Project

  # The address and the commit of the library come from test/consumers/run.
  def project do
    [
      app: :consumer,
      version: "1.0.0",
      deps: [{:enif_protobuf, git: "{{repository}}", ref: "{{commit}}"}]
    ]
  end

  def application do
    [mod: {Consumer, []}]
  end
end
