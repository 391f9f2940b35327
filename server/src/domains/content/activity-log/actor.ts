import { Type } from 'typebox';

/** The credential that made a write. */
export interface Actor {
  readonly kind: string;
  readonly name: string;
  /** For an assistant's write: the unverified name of its program. */
  readonly client?: string;
  /** The user whose credential it was; absent in rows from before vaults could be shared. */
  readonly userId?: string;
}

export const SEALED_ACTOR = Type.Object({
  kind: Type.String(),
  name: Type.String(),
  client: Type.Optional(Type.String()),
  userId: Type.Optional(Type.String()),
});
