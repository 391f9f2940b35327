import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { inspect } from 'node:util';

/** The parser of one kind of option value. */
export interface ValueKind<T> {
  /** The value in help texts; completes the sentence "it must be …" of an error message. */
  readonly expects: string;
  parse(text: string): T | undefined;
}

/** A secret value. It is printed, logged and serialised as a placeholder; only `reveal()` returns it. */
export class Secret<T> {
  readonly #value: T;
  constructor(value: T) {
    this.#value = value;
  }
  reveal(): T {
    return this.#value;
  }
  toString(): string {
    return '[secret]';
  }
  toJSON(): string {
    return '[secret]';
  }
  [inspect.custom](): string {
    return '[secret]';
  }
}

export function integer(from: number, to: number): ValueKind<number> {
  return {
    expects: `a whole number from ${from} to ${to}`,
    parse(text) {
      const value = Number(text);
      return /^\d+$/.test(text) && value >= from && value <= to ? value : undefined;
    },
  };
}

export function choice<const Names extends readonly string[]>(...names: Names): ValueKind<Names[number]> {
  return {
    expects: `one of ${names.join(', ')}`,
    parse: (text) => names.find((name) => name === text),
  };
}

export const word: ValueKind<string> = {
  expects: 'a name without spaces',
  parse: (text) => (/^\S+$/.test(text) ? text : undefined),
};

/** Text on one line, such as a name or a path, which only its user interprets. */
export const line: ValueKind<string> = {
  expects: 'a name',
  parse: (text) => (/[\0\r\n]/.test(text) || text.trim() === '' ? undefined : text.trim()),
};

export const timeOfDay: ValueKind<string> = {
  expects: 'a time of day such as 02:00',
  parse: (text) => (/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text) ? text : undefined),
};

export const token: ValueKind<Secret<string>> = {
  expects: 'visible ASCII characters without spaces',
  parse: (text) => (/^[\x21-\x7e]+$/.test(text) ? new Secret(text) : undefined),
};

/** A file or folder; relative to the working directory of the process. */
export const path: ValueKind<string> = {
  expects: 'a path',
  parse: (text) => (text.includes('\0') ? undefined : resolve(text)),
};

/** File name extensions, with or without the dot, in any case. */
export const extensions: ValueKind<ReadonlySet<string>> = {
  expects: 'file name extensions separated by commas, such as png,jpg,pdf',
  parse(text) {
    const names = text.split(',').map((name) => name.trim().replace(/^\./, '').toLowerCase());
    // A `.md` file is a note, so it is never an attachment.
    return names.every((name) => /^[\p{L}\p{N}_-]{1,32}$/u.test(name) && name !== 'md') ? new Set(names) : undefined;
  },
};

export const hostName: ValueKind<string> = {
  expects: 'an IP address or a host name, without scheme and port',
  parse: (text) => (isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ? text : undefined),
};

/** Names that no proxy, cookie or URL spells in two ways; `api` ends the part of an address that clients leave out. */
const PUBLIC_PATH = /^(\/(?!api(\/|$))[a-z0-9_~-][a-z0-9._~-]*)*$/i;

export const publicUrl: ValueKind<string> = {
  expects: 'an http or https address, with or without a path, such as https://example.org/notes',
  parse(text) {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
    const path = url.pathname.replace(/\/$/, '');
    // An empty query or fragment leaves no trace in the URL, so `#` and `?` are looked up in the text.
    return PUBLIC_PATH.test(path) && !/[?#]/.test(text) ? url.origin + path : undefined;
  },
};

export const databaseUrl: ValueKind<Secret<string>> = {
  expects: 'a PostgreSQL address such as postgres://user:password@host:5432/notevault (omit it for SQLite)',
  parse(text) {
    const url = URL.parse(text);
    return url !== null && /^postgres(ql)?:$/.test(url.protocol) ? new Secret(text) : undefined;
  },
};

export type BlobStore =
  | { readonly kind: 'disk' | 'database' }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

export const blobStore: ValueKind<BlobStore> = {
  expects: 'disk, database, or a bucket such as s3://notes/attachments',
  parse(text) {
    if (text === 'disk' || text === 'database') return { kind: text };
    const [, bucket, folder = ''] =
      /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/.exec(text) ?? [];
    if (bucket === undefined || /\.\.|\/\/|^\//.test(folder)) return undefined;
    return { kind: 's3', bucket, prefix: folder === '' || folder.endsWith('/') ? folder : `${folder}/` };
  },
};

export const serviceUrl: ValueKind<string> = {
  expects: 'an http or https address, such as https://s3.example.org',
  parse(text) {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
    return /[?#]/.test(text) ? undefined : text;
  },
};

/** The issuer of an OpenID Connect provider, kept as written, because it is compared with what the provider says. */
export const issuerUrl: ValueKind<string> = {
  expects: 'the issuer of the provider, such as https://id.example.org/realms/home, without /.well-known/…',
  parse: (text) => (text.includes('/.well-known/') ? undefined : serviceUrl.parse(text)),
};

/** A claim with the value that counts; the name may be a path through objects, such as realm_access.roles. */
export const claim: ValueKind<{ readonly name: string; readonly value: string }> = {
  expects: 'a claim and its value, such as groups=admins',
  parse(text) {
    const [, name, value] = /^([^=\s]+)=(.+)$/.exec(text) ?? [];
    return name === undefined || value === undefined ? undefined : { name, value };
  },
};

export const smtpUrl: ValueKind<Secret<string>> = {
  expects: 'an address such as smtps://user:password@mail.example.org:465 or smtp://mail.example.org:587',
  parse(text) {
    const url = URL.parse(text);
    return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' ? new Secret(text) : undefined;
  },
};

export const mailbox: ValueKind<string> = {
  expects: 'an e-mail address such as notes@example.org or Notevault <notes@example.org>',
  parse(text) {
    const sent = text.trim();
    return /^(?:[^<>@\p{Cc}]* )?<[^\s<>@]+@[^\s<>@]+>$|^[^\s<>@]+@[^\s<>@]+$/u.test(sent) ? sent : undefined;
  },
};

export const key256: ValueKind<Secret<Buffer>> = {
  expects: '32 bytes in base64 (`openssl rand -base64 32` creates one)',
  parse(text) {
    if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
    const bytes = Buffer.from(text, 'base64url');
    return bytes.length === 32 ? new Secret(bytes) : undefined;
  },
};

export const proxies: ValueKind<readonly string[]> = {
  expects: 'IP addresses or networks separated by commas, such as 10.0.0.7,192.168.0.0/16',
  parse: (text) => list(text, isNetwork),
};

export const origins: ValueKind<readonly string[]> = {
  expects: '*, none or origins separated by commas, such as https://notes.example.org,https://app.example.org',
  parse: (text) => (text === '*' ? ['*'] : list(text, (item) => item === 'none' || isOrigin(item))),
};

export const redirects: ValueKind<readonly string[]> = {
  expects: 'https addresses separated by commas, such as https://app.example.org/callback',
  parse: (text) => list(text, (item) => URL.parse(item)?.protocol === 'https:'),
};

function list(text: string, fits: (item: string) => boolean): string[] | undefined {
  const items = text.split(',').map((item) => item.trim());
  return items.every(fits) ? [...new Set(items)] : undefined;
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes('%')) return false;
  // A prefix of 0 would trust every address; the proxy check refuses it too, but prints a stack trace.
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

function isOrigin(text: string): boolean {
  // Apps send origins with their own schemes, for which URL returns no origin; only a path must not be present.
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#*]+$/.test(text) && URL.canParse(text);
}
