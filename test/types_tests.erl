%% The types of generated modules: those of gpb's, which are written here by hand from what gpb 4.21.7 gives.
-module(types_tests).

-include_lib("eunit/include/eunit.hrl").

-define(SHOP,
    "message Order { optional string id = 1; repeated Item items = 2; map<string, int32> counts = 3;"
    " oneof paid { bool cash = 4; Item in_kind = 5; } optional Size size = 6;"
    " message Item { required double price = 1; } }"
    " enum Size { S = 0; L = 1; } "
).

records_test() ->
    ?assertEqual(
        [
            "'$msg'() :: 'Order.Item'() | 'Order'()",
            "'$msg_name'() :: 'Order.Item' | 'Order'",
            "'Order'() :: #'Order'{}",
            "'Order.Item'() :: #'Order.Item'{}",
            "'Size'() :: 'S' | 'L'"
        ],
        types([])
    ),
    ?assertEqual(['$msg', '$msg_name', 'Order', 'Order.Item', 'Size'], exported([])).

maps_test() ->
    Order = fun(Opts) ->
        [Type] = [Type || "'Order'() :: " ++ Type <- types([maps | Opts])],
        Type
    end,
    ?assertEqual(
        "#{id => unicode:chardata(), items => ['Order.Item'()], counts => #{unicode:chardata() => integer()},"
        " paid => {cash, boolean() | 0 | 1} | {in_kind, 'Order.Item'()}, size => 'Size'() | integer()}",
        Order([])
    ),
    %% The key of a oneof is the one that may be left out.
    ?assertEqual(
        "#{id := unicode:chardata() | undefined, items := ['Order.Item'()] | undefined,"
        " counts := #{unicode:chardata() => integer()} | undefined,"
        " paid => {cash, boolean() | 0 | 1} | {in_kind, 'Order.Item'()} | undefined,"
        " size := 'Size'() | integer() | undefined}",
        Order([{maps_unset_optional, present_undefined}])
    ),
    ?assertEqual(
        "#{id => unicode:chardata(), items => ['Order.Item'()], counts => #{unicode:chardata() => integer()},"
        " cash => boolean() | 0 | 1, in_kind => 'Order.Item'(), size => 'Size'() | integer()}",
        Order([{maps_oneof, flat}])
    ),
    %% With keys for what is absent, the oneof has the key whatever is said. gpb's type says otherwise than its maps.
    ?assertEqual(
        Order([{maps_unset_optional, present_undefined}]),
        Order([{maps_unset_optional, present_undefined}, {maps_oneof, flat}])
    ),
    ?assertEqual("#{binary() => term()}", Order([{maps_key_type, binary}])),
    Item = "'Order.Item'() :: #{price := float() | integer() | infinity | '-infinity' | nan}",
    ?assert(lists:member(Item, types([maps, verify_decode_required_present]))).

%% Without types there are only those that the specs of the functions need.
no_type_specs_test() ->
    Names = "'$msg_name'() :: 'Order.Item' | 'Order'",
    ?assertEqual(["'$msg'() :: #'Order.Item'{} | #'Order'{}", Names], types([{type_specs, false}])),
    ?assertEqual(["'$msg'() :: map()", Names], types([maps, {type_specs, false}])),
    ?assertEqual([], exported([{type_specs, false}])),
    generated:in_module(?SHOP, [{type_specs, false}], fun(given, _) ->
        ?assertEqual(<<9, 0:64>>, given:encode_msg({'Order.Item', 0.0}))
    end).

%% The types as they are written, on one line each.
types(Opts) ->
    Types = [erl_pp:attribute({attribute, Anno, type, Type}) || {attribute, Anno, type, Type} <- forms(Opts)],
    Lines = [re:replace(Type, "\\s+", " ", [global, {return, list}]) || Type <- Types],
    lists:sort([string:trim(Line, trailing, ". ") || "-type " ++ Line <- Lines]).

exported(Opts) ->
    lists:sort([Name || {attribute, _, export_type, Types} <- forms(Opts), {Name, 0} <- Types]).

forms(Opts) ->
    generated:in_files("given", ?SHOP, Opts, fun(Dir) ->
        {ok, Forms} = epp:parse_file(filename:join(Dir, "given.erl"), [{includes, [Dir]}]),
        Forms
    end).
