import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import type { FastifyBaseLogger } from 'fastify';

/** Paths of a certificate chain and its private key, in PEM. */
export interface CertificatePaths {
  readonly cert: string;
  readonly key: string;
}

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** The files cannot be used; the message names them. */
export class CertificateUnusable extends Error {
  override readonly name = 'CertificateUnusable';
  constructor({ cert, key }: CertificatePaths, cause: Error) {
    const help = 'Give a certificate chain in PEM, and its private key without a passphrase.';
    super(`${cert} and ${key} cannot be used: ${cause.message}. ${help}`, { cause });
  }
}

/** Interval at which the files are read. */
const CHECK_MS = 10_000;

/**
 * The certificate of a server without a proxy. Whoever renews it replaces the files, which is noticed without a signal;
 * open connections continue with the certificate that they began with.
 */
export class CertificateFiles {
  readonly #paths: CertificatePaths;
  readonly #log: FastifyBaseLogger;
  #current: Certificate;
  /** The last files that cannot be used, so that they are logged once. */
  #refused: Certificate | null = null;

  /** Throws CertificateUnusable if a file cannot be read or the two do not fit. */
  constructor(paths: CertificatePaths, log: FastifyBaseLogger) {
    this.#paths = paths;
    this.#log = log;
    try {
      this.#current = readCertificate(paths);
      requireFit(this.#current);
    } catch (cause) {
      throw new CertificateUnusable(paths, cause as Error);
    }
  }

  get current(): Certificate {
    return this.#current;
  }

  /** Gives new connections of a server the certificate of changed files; of unusable ones, one line is logged. */
  check(server: Pick<Server, 'setSecureContext'>): void {
    let found: Certificate | null = null;
    try {
      found = readCertificate(this.#paths);
      if (isSame(found, this.#current) || isSame(found, this.#refused)) return;
      // A renewal writes one file after the other: until both fit, this throws.
      requireFit(found);
      server.setSecureContext(found);
      this.#current = found;
      this.#refused = null;
      this.#log.info('the certificate was replaced');
    } catch (err) {
      const unreadable = found ?? { cert: '', key: '' };
      if (isSame(unreadable, this.#refused)) return;
      this.#refused = unreadable;
      this.#log.error({ err }, 'the changed certificate cannot be used; the one before stays in use');
    }
  }

  /** Checks the files regularly; returns a function that stops this. */
  watch(server: Pick<Server, 'setSecureContext'>): () => void {
    const timer = setInterval(() => this.check(server), CHECK_MS).unref();
    return () => clearInterval(timer);
  }
}

function readCertificate({ cert, key }: CertificatePaths): Certificate {
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}

/** Throws unless handshakes succeed with the files. A TLS context alone accepts an empty file, and a key of another kind. */
function requireFit({ cert, key }: Certificate): void {
  const fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  if (!fits) throw new Error('the key is not that of the certificate');
  createSecureContext({ cert, key });
}

function isSame(a: Certificate, b: Certificate | null): boolean {
  return a.cert === b?.cert && a.key === b.key;
}
