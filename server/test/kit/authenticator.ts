import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  NewPasskeyBody,
  PasskeyAssertion,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '@notevault/protocol/passkeys.ts';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import type { Caller } from './person.ts';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const FLAGS = { present: 1, verified: 4, synced: 8 + 16, attested: 64 };

interface Kept {
  readonly id: string;
  readonly rpId: string;
  readonly userHandle: string;
  readonly key: KeyObject;
}

/** Faults of an authenticator, for tests of refusals. */
interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  /** Whether it asked its user for nothing but presence. */
  readonly unverified?: true;
}

/** An authenticator in software that keeps passkeys, as a browser would use it on pages of an origin. */
export class Authenticator {
  /** Signatures so far; an authenticator that does not count stays at 0. */
  counter = 0;
  readonly #origin: string;
  readonly #isSynced: boolean;
  readonly #counts: boolean;
  readonly #kept: Kept[] = [];

  constructor(origin: string, { isSynced = false, counts = true } = {}) {
    this.#origin = origin;
    this.#isSynced = isSynced;
    this.#counts = counts;
  }

  /** Makes a passkey. */
  create(options: PasskeyCreationOptions, deviation: Deviation = {}): NewPasskeyBody {
    const { publicKey, privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const id = randomBytes(16);
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const point = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
    // COSE key: EC2, ES256, P-256 (RFC 9053, section 7.1.1).
    const cose = new Map<number, number | Uint8Array<ArrayBuffer>>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as const),
      ...([
        [-2, point(x)],
        [-3, point(y)],
      ] as const),
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(cose)]);
    const rpId = options.rp.id;
    this.#kept.push({ id: id.toString('base64url'), rpId, userHandle: options.user.id, key });
    const authData = new Uint8Array(Buffer.concat([this.#head(rpId, FLAGS.attested, deviation), attested]));
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return {
      ...named(id.toString('base64url')),
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, deviation).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** Signs with a passkey: an allowed one, or the last one of the server. */
  get({ challenge, rpId, allowCredentials }: PasskeyRequestOptions, deviation: Deviation = {}): PasskeyAssertion {
    const allowed = allowCredentials.map(({ id }) => id);
    const passkey = this.#kept.findLast((each) =>
      allowed.length === 0 ? each.rpId === rpId : allowed.includes(each.id),
    );
    assert.ok(passkey, 'the authenticator has no passkey for these options');
    if (this.#counts) this.counter += 1;
    const authData = this.#head(rpId, 0, deviation);
    const clientData = this.#clientData('webauthn.get', challenge, deviation);
    return {
      ...named(passkey.id),
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', Buffer.concat([authData, sha256(clientData)]), passkey.key).toString('base64url'),
        userHandle: passkey.userHandle,
      },
    };
  }

  #head(rpId: string, flags: number, deviation: Deviation): Buffer {
    const isVerified = deviation.unverified !== true;
    const own = FLAGS.present + (isVerified ? FLAGS.verified : 0) + (this.#isSynced ? FLAGS.synced : 0);
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags + own);
    rest.writeUInt32BE(this.counter, 1);
    return Buffer.concat([sha256(deviation.rpId ?? rpId), rest]);
  }

  #clientData(type: string, challenge: string, { origin = this.#origin }: Deviation): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
}

function named(id: string) {
  return { id, rawId: id, type: 'public-key' } as const;
}

/** Makes a passkey for a caller with a fresh session; resolves to its id. */
export async function makePasskey(caller: Caller, authenticator: Authenticator, name?: string): Promise<string> {
  const options = await caller.post('/auth/passkeys/register/options');
  assert.equal(options.status, 200, String(options.bytes));
  const made = { ...authenticator.create(options.body), ...(name === undefined ? {} : { name }) };
  const stored = await caller.post('/auth/passkeys/register/verify', made);
  assert.equal(stored.status, 201, String(stored.bytes));
  return stored.body.passkey.id;
}

/** Answers the options of a sign-in, with which a passkey signs. */
export async function signInOptions(anyone: Caller): Promise<PasskeyRequestOptions> {
  return (await anyone.post('/auth/passkeys/login/options')).body;
}
