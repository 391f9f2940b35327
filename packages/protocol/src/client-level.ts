import { type Static, Type } from 'typebox';

/** Level of this repository's clients; it increases when they need a feature that earlier servers lack. */
export const CLIENT_LEVEL = 1;
/** Raised when clients of lower levels are not served any more. */
export const OLDEST_CLIENT_LEVEL = 1;

/** Version information that a server gives to anyone; servers up to 0.2.0 omit the levels. */
export const ServerVersion = Type.Object({
  version: Type.String(),
  client_level: Type.Optional(
    Type.Integer({ description: 'The highest level of a client whose needs this server meets.' }),
  ),
  oldest_client_level: Type.Optional(
    Type.Integer({ description: 'The lowest level of a client that this server serves.' }),
  ),
});
export type ServerVersion = Static<typeof ServerVersion>;
