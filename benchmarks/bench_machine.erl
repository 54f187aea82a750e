%% What was measured with, and on what machine, in words.
-module(bench_machine).

-export([versions/0, machine/0]).

-spec versions() -> iodata().
versions() ->
    lists:join(", ", lists:append([erlang(), own(), c_nif(), gpb(), libprotobuf()])).

%% The one in use, and whether it is that of .tool-versions.
erlang() ->
    Used = otp_version(),
    {ok, Tools} = file:read_file(".tool-versions"),
    {match, [Wanted]} = re:run(Tools, "^erlang (.*)$", [multiline, {capture, all_but_first, list}]),
    Which =
        case Used of
            Wanted -> "that of `.tool-versions`";
            _ -> ["the one in use; `.tool-versions` names ", Wanted]
        end,
    [["Erlang/OTP ", Used, " (", Which, ")"]].

otp_version() ->
    Release = erlang:system_info(otp_release),
    case file:read_file(filename:join([code:root_dir(), "releases", Release, "OTP_VERSION"])) of
        {ok, Version} -> string:trim(binary_to_list(Version));
        {error, _} -> Release
    end.

own() ->
    _ = application:load(enif_protobuf),
    [["enif_protobuf ", Version] || {ok, Version} <- [application:get_key(enif_protobuf, vsn)]].

%% It does not say it itself.
c_nif() ->
    ["C NIF" ++ case os:getenv("EPB_C_VERSION", "") of "" -> ""; Version -> " " ++ Version end || is_there(epb_c)].

gpb() ->
    ["gpb " ++ gpb:version_as_string() || is_there(gpb_compile)].

%% What build_gpb_nif has left there.
libprotobuf() ->
    [["libprotobuf", libprotobuf_version(filename:dirname(code:which(bench_gpb_nif)))] || is_there(bench_gpb_nif)].

libprotobuf_version(Directory) ->
    case file:read_file(filename:join(Directory, "libprotobuf.version")) of
        {ok, Version} -> [" ", string:trim(Version)];
        {error, _} -> ""
    end.

is_there(Module) ->
    code:ensure_loaded(Module) =:= {module, Module}.

-spec machine() -> iodata().
machine() ->
    lists:join(", ", [processor(), [integer_to_list(cores()), " logical cores"], system(), architecture()]).

%% The VM does not know on every system; then it has as many schedulers.
cores() ->
    case erlang:system_info(logical_processors) of
        unknown -> erlang:system_info(schedulers);
        Cores -> Cores
    end.

processor() ->
    first("unknown processor", [
        {"/proc/cpuinfo", "^model name\\s*: (.*)$"},
        "sysctl -n machdep.cpu.brand_string"
    ]).

system() ->
    case os:type() of
        {unix, darwin} -> ["macOS ", first("", ["sw_vers -productVersion"])];
        {_, Name} -> first(atom_to_list(Name), [{"/etc/os-release", "^PRETTY_NAME=\"?([^\"]*)\"?$"}])
    end.

architecture() ->
    hd(string:split(erlang:system_info(system_architecture), "-")).

%% What the first file says of it, or the first command.
first(Unknown, Sources) ->
    case [Found || Source <- Sources, Found <- found(Source)] of
        [Found | _] -> Found;
        [] -> Unknown
    end.

found({File, Expression}) ->
    case file:read_file(File) of
        {ok, Text} ->
            case re:run(Text, Expression, [multiline, {capture, all_but_first, list}]) of
                {match, [Found]} -> [string:trim(Found)];
                nomatch -> []
            end;
        {error, _} ->
            []
    end;
found(Command) ->
    [Program | _] = string:split(Command, " "),
    case os:find_executable(Program) of
        false -> [];
        _ -> [Said || Said <- [string:trim(os:cmd(Command ++ " 2>/dev/null"))], Said =/= ""]
    end.
