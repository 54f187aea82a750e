%% The record of person.proto, field for field in the order of the message.
-record('Person', {
    name :: unicode:chardata() | undefined,
    id :: integer() | undefined,
    email :: unicode:chardata() | undefined
}).
