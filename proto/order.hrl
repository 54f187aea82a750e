%% The records of order.proto, field for field in the order of the messages.
-record('Order.Item', {
    sku = <<>> :: unicode:chardata(),
    quantity = 0 :: non_neg_integer()
}).
-record('Order', {
    id = 0 :: non_neg_integer(),
    items = [] :: [#'Order.Item'{}],
    state = 'NEW' :: 'NEW' | 'SHIPPED' | integer(),
    labels = [] :: [{unicode:chardata(), unicode:chardata()}],
    paid :: {cash, boolean()} | {card, unicode:chardata()} | undefined,
    note :: unicode:chardata() | undefined,
    ordered :: tuple() | undefined
}).
