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

/** The pieces of an update that makes a document of one genesis so long that `costlyUpdate` is refused for its cost. */
export const PIECES = 5_000;

/** Inserts many pieces at the beginning of a document, each before the one before it. */
export function piecesUpdate(genesis: number): Uint8Array {
  return craftUpdate(
    Array.from({ length: PIECES }, (_, clock): CraftedItem => {
      const behind = clock === 0 ? ([genesis, 0] as const) : ([2, clock - 1] as const);
      return { client: 2, clock, text: 'p', origin: [genesis, 0], ...(clock === 0 ? {} : { rightOrigin: behind }) };
    }),
  );
}

/** Enough for every update of the tests but a costly one: a busy machine takes long for the time that servers allow. */
export const TRIAL_MS = 600;

/** How long a trial may take beside other work: its thread has a lowered priority, and gets a twentieth of a processor. */
export const TRIAL_PATIENCE_MS = 120_000;

export const COSTLY_TEXT = 'q'.repeat(290);

/** Letters that are placed among all of the pieces. */
export function costlyUpdate(genesis: number, client: number): Uint8Array {
  return craftUpdate([...COSTLY_TEXT].map((text, clock) => ({ client, clock, text, origin: [genesis, 0] as const })));
}
