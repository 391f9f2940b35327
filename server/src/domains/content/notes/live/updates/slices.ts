import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import { integrationOrder } from './integration-order.ts';

export interface SliceLimits {
  readonly structs: number;
  readonly deletions: number;
  /** UTF-16 units deleted. */
  readonly deletedLength: number;
}

type Struct = Y.Item | Y.Skip | Y.GC;
/** The result of Y.decodeUpdate. */
type DecodedUpdate = { readonly structs: readonly Struct[]; readonly ds: DeleteSet };
interface DeleteSet {
  readonly clients: ReadonlyMap<number, readonly { readonly clock: number; readonly len: number }[]>;
}

/**
 * Splits an update into updates (v1) that have the same effect when they are applied in their order; none depends on a
 * later one. Null when there is no such order. The update must have been validated, or come from a document.
 *
 * @param knownOf returns the clock up to which the document contains a client's edits.
 */
export function sliceUpdate(
  { structs, ds }: DecodedUpdate,
  knownOf: (client: number) => number,
  limits: SliceLimits,
): Uint8Array[] | null {
  const order = integrationOrder(structs.map(dependentOf), knownOf);
  if (order === null) return null;
  const slices: Uint8Array[] = [];
  for (let at = 0; at < order.length; at += limits.structs) {
    slices.push(encodeStructs(order.slice(at, at + limits.structs).map(({ struct }) => struct)));
  }
  for (const deletions of sliceDeletions(ds, limits)) slices.push(encodeDeletions(deletions));
  return slices;
}

function dependentOf(struct: Struct) {
  const { client, clock } = struct.id;
  const [origin, rightOrigin] = struct instanceof Y.Item ? [struct.origin, struct.rightOrigin] : [null, null];
  return { struct, client, clock, length: struct.length, origin, rightOrigin };
}

function encodeStructs(structs: readonly Struct[]): Uint8Array {
  const clients = Map.groupBy(structs, ({ id }) => id.client);
  const encoder = new Y.UpdateEncoderV1();
  encoding.writeVarUint(encoder.restEncoder, clients.size);
  for (const [client, own] of clients) {
    encoding.writeVarUint(encoder.restEncoder, own.length);
    encoder.writeClient(client);
    encoding.writeVarUint(encoder.restEncoder, own[0]?.id.clock ?? 0);
    for (const struct of own) struct.write(encoder, 0);
  }
  encoding.writeVarUint(encoder.restEncoder, 0);
  return encoder.toUint8Array();
}

interface Deletion {
  readonly client: number;
  readonly clock: number;
  readonly length: number;
}

function sliceDeletions(ds: DeleteSet, limits: SliceLimits): Deletion[][] {
  const slices: Deletion[][] = [];
  let slice: Deletion[] = [];
  let room = limits.deletedLength;
  for (const [client, ranges] of ds.clients) {
    for (const { clock: from, len } of ranges) {
      for (let clock = from; clock < from + len; ) {
        if (room === 0 || slice.length >= limits.deletions) {
          slices.push(slice);
          slice = [];
          room = limits.deletedLength;
        }
        const length = Math.min(room, from + len - clock);
        slice.push({ client, clock, length });
        room -= length;
        clock += length;
      }
    }
  }
  return slice.length === 0 ? slices : [...slices, slice];
}

function encodeDeletions(deletions: readonly Deletion[]): Uint8Array {
  const clients = Map.groupBy(deletions, ({ client }) => client);
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, 0);
    encoding.writeVarUint(encoder, clients.size);
    for (const [client, own] of clients) {
      encoding.writeVarUint(encoder, client);
      encoding.writeVarUint(encoder, own.length);
      for (const { clock, length } of own) {
        encoding.writeVarUint(encoder, clock);
        encoding.writeVarUint(encoder, length);
      }
    }
  });
}
