import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Keyring } from '../../ports/keyring/keyring.ts';

export const SeenRequest = Type.Object({
  peer: Type.String({ description: 'The address of the connection: the last proxy, or the client itself.' }),
  host: Type.String(),
  scheme: Type.String(),
  forwardedFor: Type.Union([Type.String(), Type.Null()]),
  isTrusted: Type.Boolean({
    description: 'Whether the client’s address is taken from that header, because the peer is a trusted proxy.',
  }),
});
export type SeenRequest = Static<typeof SeenRequest>;

/** Header that makes the health check report how it was reached. Its value can be made only with the master key. */
export const PROBE_HEADER = 'x-notevault-probe';
const PURPOSE = 'connection probe';
/** The clocks of a command and of a server on another machine may differ. */
const FRESH_MS = 5 * 60_000;
const FORWARDED_LENGTH_MAX = 500;

type Mac = Pick<Keyring, 'mac'>;

/** The value of the header for requests that are sent soon: every process with the same master key accepts it. */
export function probeValue(keyring: Mac, now: number): string {
  return `${now}.${keyring.mac(PURPOSE, String(now)).toString('base64url')}`;
}

/** Whether the value of the header was made with this master key, and recently. */
export function isFreshProbe(keyring: Mac, now: number, value: unknown): boolean {
  const madeAt = typeof value === 'string' ? Number.parseInt(value, 10) : Number.NaN;
  if (!(Math.abs(now - madeAt) <= FRESH_MS)) return false;
  const [sent, own] = [Buffer.from(String(value)), Buffer.from(probeValue(keyring, madeAt))];
  return sent.length === own.length && timingSafeEqual(sent, own);
}

export function seenOf(request: FastifyRequest): SeenRequest {
  return {
    peer: request.socket.remoteAddress ?? '',
    host: request.headers.host ?? '',
    scheme: request.protocol,
    forwardedFor: request.headers['x-forwarded-for']?.toString().slice(0, FORWARDED_LENGTH_MAX) ?? null,
    isTrusted: (request.ips?.length ?? 0) > 1,
  };
}
