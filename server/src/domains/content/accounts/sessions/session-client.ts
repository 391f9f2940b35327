import type { SessionId } from '@notevault/protocol/values/ids.ts';
import { Type } from 'typebox';
import type { SealingKey } from '../../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../../ports/keyring/sealed-json.ts';

const USER_AGENT_MAX = 256;

export interface SignInClient {
  readonly address: string;
  readonly userAgent: string | null;
}

const stored = new SealedJson(
  1,
  Type.Object({ address: Type.String(), userAgent: Type.Union([Type.String(), Type.Null()]) }),
);
const contextOf = (id: SessionId) => ({ kind: 'sessions.client', row: id, version: 0 });

export function sealClient(server: SealingKey, id: SessionId, client: SignInClient | null): Buffer | null {
  if (client === null) return null;
  const userAgent = client.userAgent?.toWellFormed().slice(0, USER_AGENT_MAX) ?? null;
  return stored.seal(server, contextOf(id), { address: client.address, userAgent });
}

export function openClient(server: SealingKey, id: SessionId, sealed: Buffer | null): SignInClient | null {
  return sealed === null ? null : stored.open(server, contextOf(id), sealed);
}
