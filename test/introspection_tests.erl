%% What a generated module tells of its .proto files. The answers are those of gpb 4.21.7 for the same file.
-module(introspection_tests).

-include_lib("eunit/include/eunit.hrl").

-define(SHOP, "syntax = 'proto2'; package shop;\n"
    "message Order { required Size size = 1; optional Item item = 2; optional group G = 3 {}\n"
    "  message Item {} enum Size { option allow_alias = true; S = 0; L = 1; LARGE = 1; } }\n"
    "service Shop { rpc Buy (Order) returns (stream Order.Item) { option deprecated = true; }\n"
    "  rpc Ask (Order) returns (Order); }\n"
).

shop(Opts, Test) ->
    generated:in_module("shop", ?SHOP, Opts, fun(shop, _) -> Test() end).

messages_and_enums_test() ->
    shop([], fun() ->
        Size = {field, size, 1, 2, {enum, 'Order.Size'}, required, []},
        Item = {field, item, 2, 3, {msg, 'Order.Item'}, optional, []},
        Group = {field, 'G', 3, 4, {group, 'Order.G'}, optional, []},
        Symbols = [{option, allow_alias, true}, {'S', 0}, {'L', 1}, {'LARGE', 1}],
        ?assertEqual(
            [
                {{enum, 'Order.Size'}, Symbols},
                {{msg, 'Order.Item'}, []},
                {{msg, 'Order'}, [Size, Item, Group]},
                {{group, 'Order.G'}, []}
            ],
            shop:get_msg_defs()
        ),
        ?assertEqual(['Order.Item', 'Order'], shop:get_msg_names()),
        ?assertEqual(['Order.G'], shop:get_group_names()),
        ?assertEqual(['Order.G', 'Order.Item', 'Order'], shop:get_msg_or_group_names()),
        ?assertEqual(['Order.Size'], shop:get_enum_names()),
        ?assertEqual([Size, Item, Group], shop:find_msg_def('Order')),
        ?assertEqual(error, shop:find_msg_def('Item')),
        ?assertEqual([], shop:fetch_msg_def('Order.G')),
        ?assertError({no_such_msg, 'Item'}, shop:fetch_msg_def('Item')),
        ?assertEqual(Symbols, shop:find_enum_def('Order.Size')),
        ?assertEqual(error, shop:find_enum_def('Order')),
        ?assertEqual(Symbols, shop:fetch_enum_def('Order.Size')),
        ?assertError({no_such_enum, 'Size'}, shop:fetch_enum_def('Size'))
    end).

symbols_test() ->
    shop([], fun() ->
        ?assertEqual(['S', 'L'], [shop:enum_symbol_by_value('Order.Size', Value) || Value <- [0, 1]]),
        ?assertEqual([0, 1, 1], [shop:enum_value_by_symbol('Order.Size', Symbol) || Symbol <- ['S', 'L', 'LARGE']]),
        ?assertEqual('L', shop:'enum_symbol_by_value_Order.Size'(1)),
        ?assertEqual(1, shop:'enum_value_by_symbol_Order.Size'('LARGE')),
        ?assertError(function_clause, shop:enum_symbol_by_value('Order.Size', 2)),
        ?assertError(function_clause, shop:enum_value_by_symbol('Size', 'S'))
    end).

services_test() ->
    shop([], fun() ->
        Buy = {rpc, 'Buy', 'Order', 'Order.Item', false, true, [{deprecated, true}]},
        Ask = {rpc, 'Ask', 'Order', 'Order', false, false, []},
        ?assertEqual(['Shop'], shop:get_service_names()),
        ?assertEqual({{service, 'Shop'}, [Buy, Ask]}, shop:get_service_def('Shop')),
        ?assertEqual(error, shop:get_service_def('Order')),
        ?assertEqual(['Buy', 'Ask'], shop:get_rpc_names('Shop')),
        ?assertEqual(error, shop:get_rpc_names('Order')),
        ?assertEqual(Buy, shop:find_rpc_def('Shop', 'Buy')),
        ?assertEqual(error, shop:find_rpc_def('Shop', 'Sell')),
        ?assertEqual(Ask, shop:fetch_rpc_def('Shop', 'Ask')),
        ?assertError({no_such_rpc, 'Shop', 'Sell'}, shop:fetch_rpc_def('Shop', 'Sell'))
    end).

full_names_test() ->
    [
        shop(Opts, fun() ->
            ?assertEqual(Service, shop:fqbin_to_service_name(<<"shop.Shop">>)),
            ?assertEqual(<<"shop.Shop">>, shop:service_name_to_fqbin(Service)),
            ?assertEqual({Service, 'Buy'}, shop:fqbins_to_service_and_rpc_name(<<"shop.Shop">>, <<"Buy">>)),
            ?assertEqual({<<"shop.Shop">>, <<"Buy">>}, shop:service_and_rpc_name_to_fqbins(Service, 'Buy')),
            ?assertEqual(Item, shop:fqbin_to_msg_name(<<"shop.Order.Item">>)),
            ?assertEqual(<<"shop.Order.Item">>, shop:msg_name_to_fqbin(Item)),
            ?assertEqual(Size, shop:fqbin_to_enum_name(<<"shop.Order.Size">>)),
            ?assertEqual(<<"shop.Order.Size">>, shop:enum_name_to_fqbin(Size)),
            ?assertEqual(UsesPackages, shop:uses_packages()),
            ?assertEqual(shop, shop:get_package_name())
        end)
     || {Opts, UsesPackages, Service, Item, Size} <- [
            {[], false, 'Shop', 'Order.Item', 'Order.Size'},
            {[use_packages], true, 'shop.Shop', 'shop.Order.Item', 'shop.Order.Size'}
        ]
    ].

unknown_full_names_test() ->
    shop([], fun() ->
        [
            ?assertError({gpb_error, {Bad, <<"x">>}}, shop:Function(<<"x">>))
         || {Function, Bad} <- [
                {fqbin_to_service_name, badservice},
                {service_name_to_fqbin, badservice},
                {fqbin_to_msg_name, badmsg},
                {msg_name_to_fqbin, badmsg},
                {fqbin_to_enum_name, badenum},
                {enum_name_to_fqbin, badenum},
                {get_proto_by_msg_name_as_fqbin, badmsg},
                {get_proto_by_service_name_as_fqbin, badservice},
                {get_proto_by_enum_name_as_fqbin, badenum},
                {get_protos_by_pkg_name_as_fqbin, badpkg}
            ]
        ],
        [
            ?assertError({gpb_error, {badservice_or_rpc, {s, r}}}, shop:Function(s, r))
         || Function <- [fqbins_to_service_and_rpc_name, service_and_rpc_name_to_fqbins]
        ]
    end).

files_test() ->
    shop([use_packages], fun() ->
        ?assertEqual("shop.proto", shop:source_basename()),
        ?assertEqual(["shop.proto"], shop:get_all_source_basenames()),
        ?assertEqual(["shop"], shop:get_all_proto_names()),
        ?assertEqual(['shop.Order', 'shop.Order.Item'], shop:get_msg_containment("shop")),
        ?assertEqual(shop, shop:get_pkg_containment("shop")),
        ?assertEqual(['shop.Shop'], shop:get_service_containment("shop")),
        ?assertEqual([{'shop.Shop', 'Buy'}, {'shop.Shop', 'Ask'}], shop:get_rpc_containment("shop")),
        ?assertEqual(['shop.Order.Size'], shop:get_enum_containment("shop")),
        [
            ?assertError({gpb_error, {badproto, "x"}}, shop:Function("x"))
         || Function <- [get_msg_containment, get_pkg_containment, get_service_containment] ++
                [get_rpc_containment, get_enum_containment]
        ],
        ?assertEqual("shop", shop:get_proto_by_msg_name_as_fqbin(<<"shop.Order">>)),
        ?assertEqual("shop", shop:get_proto_by_service_name_as_fqbin(<<"shop.Shop">>)),
        ?assertEqual("shop", shop:get_proto_by_enum_name_as_fqbin(<<"shop.Order.Size">>)),
        ?assertEqual(["shop"], shop:get_protos_by_pkg_name_as_fqbin(<<"shop">>))
    end).

nothing_defined_test() ->
    generated:in_module("", [], fun(given, _) ->
        ?assertEqual([[], [], [], [], []], [
            given:Function()
         || Function <- [get_msg_defs, get_msg_names, get_group_names, get_enum_names, get_service_names]
        ]),
        ?assertEqual(undefined, given:get_package_name()),
        ?assertError({gpb_type_error, {not_a_known_message, _}}, given:verify_msg({'M'})),
        ?assertError({no_enum_defs, 'E', 0}, given:enum_symbol_by_value('E', 0)),
        ?assertError({no_such_rpc, 'S', 'R'}, given:fetch_rpc_def('S', 'R'))
    end).

%% Of proto3's `optional' gpb's version 1 cannot tell; the definitions are then of the newest.
newest_version_test() ->
    Text = "syntax = 'proto3'; message M { optional int32 a = 1; int32 b = 2; } enum E { A = 0 [deprecated = true]; }",
    generated:in_module(Text, [], fun(given, _) ->
        ?assertEqual(
            [
                {{enum, 'E'}, [{'A', 0, [{deprecated, true}]}]},
                {{msg, 'M'}, [{field, a, 1, 2, int32, optional, []}, {field, b, 2, 3, int32, defaulty, []}]}
            ],
            given:get_msg_defs()
        ),
        ?assertEqual('A', given:enum_symbol_by_value('E', 0)),
        ?assertEqual({'M', undefined, 0}, given:decode_msg(<<>>, 'M'))
    end).

forms_of_definitions_test() ->
    Field = [{name, item}, {fnum, 2}, {rnum, 3}, {type, {msg, 'Order.Item'}}, {occurrence, optional}, {opts, []}],
    Messages = [{name, 'Ask'}, {input, 'Order'}, {output, 'Order'}],
    Rpc = Messages ++ [{input_stream, false}, {output_stream, false}, {opts, []}],
    [
        shop(Opts, fun() ->
            ?assertEqual(Form(Field), lists:nth(2, shop:find_msg_def('Order'))),
            ?assertEqual(Form(Rpc), shop:find_rpc_def('Shop', 'Ask')),
            ?assertEqual(['Buy', 'Ask'], shop:get_rpc_names('Shop')),
            ?assertEqual(<<8, 0, 18, 0>>, shop:encode_msg({'Order', 'S', {'Order.Item'}, undefined}))
        end)
     || {Opts, Form} <- [
            {[defs_as_proplists], fun(L) -> L end},
            {[defs_as_maps], fun maps:from_list/1},
            {[defs_as_maps, {maps_key_type, binary}], fun binary_keys/1}
        ]
    ].

binary_keys(Values) ->
    maps:from_list([{atom_to_binary(Key), Value} || {Key, Value} <- Values]).

%% gpb's definitions of this form can be loaded as well.
load_binary_keys_test() ->
    Field = binary_keys([{name, n}, {fnum, 1}, {rnum, 2}, {type, int32}, {occurrence, optional}, {opts, []}]),
    Oneof = binary_keys([{name, o}, {rnum, 3}, {fields, [Field#{<<"name">> := m, <<"fnum">> := 2, <<"rnum">> := 3}]}]),
    ok = enif_protobuf:load_cache([{{msg, 'M'}, [Field, Oneof]}]),
    ?assertEqual(<<8, 1, 16, 2>>, enif_protobuf:encode({'M', 1, {m, 2}})).
