import * as encoding from 'lib0/encoding';

/** A letter of a crafted update: its client and clock, and its neighbours. */
export interface CraftedItem {
  readonly client: number;
  readonly clock: number;
  readonly text: string;
  readonly origin?: readonly [client: number, clock: number];
  readonly rightOrigin?: readonly [client: number, clock: number];
}

/**
 * Encodes a Yjs update (v1) with exactly these items, in this order for each client, whether or not they are valid
 * together.
 */
export function craftUpdate(items: readonly CraftedItem[]): Uint8Array {
  const clients = Map.groupBy(items, ({ client }) => client);
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, clients.size);
    for (const [client, own] of clients) {
      encoding.writeVarUint(encoder, own.length);
      encoding.writeVarUint(encoder, client);
      encoding.writeVarUint(encoder, own[0]?.clock ?? 0);
      for (const item of own) writeItem(encoder, item);
    }
    encoding.writeVarUint(encoder, 0);
  });
}

function writeItem(encoder: encoding.Encoder, { text, origin, rightOrigin }: CraftedItem): void {
  encoding.writeUint8(encoder, 4 | (origin ? 0x80 : 0) | (rightOrigin ? 0x40 : 0));
  for (const [client, clock] of [origin, rightOrigin].filter((id) => id !== undefined)) {
    encoding.writeVarUint(encoder, client);
    encoding.writeVarUint(encoder, clock);
  }
  if (origin === undefined && rightOrigin === undefined) {
    encoding.writeVarUint(encoder, 1);
    encoding.writeVarString(encoder, 'content');
  }
  encoding.writeVarString(encoder, text);
}
