import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Form } from './forms.ts';
import type { PageLanguage } from './page-language.ts';
import type { Page } from './pages.ts';

/** A route outside `/api` with its own formats: a page for people, or an endpoint of an RFC. */
export interface RawRoute {
  readonly method: 'GET' | 'POST';
  /** The whole path; `:id` for a parameter. */
  readonly path: string;
  /** Largest body in bytes; the limit of public routes by default. */
  readonly bodyLimit?: number;
  /** `auth`: rate-limited by IP and path. */
  readonly limit?: 'auth';
  /** Set when HEAD is answered too. */
  readonly head?: true;
  /** Set when pages of any origin may use it, because no cookie counts there. */
  readonly anyOrigin?: true;
  /** Set for pages that people see: errors are shown as a page. */
  readonly forPeople?: true;
  readonly handle: (request: RawRequest) => Promise<RawReply>;
}

/** The input of a handler. */
export interface RawRequest {
  readonly query: Readonly<Record<string, unknown>>;
  /** The language that the browser asks for. */
  readonly language: PageLanguage;
  /** Parses the form of the request. Throws `foreign_form` for a form of another site, `unsupported_media_type`. */
  form(): Form;
  /** For a library that reads the request itself; see `requestFor`. */
  readonly browser: RawExchange;
}

/** A request and its response, as Node's objects. */
export interface RawExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The result of a handler; one place writes it to the socket. */
export type RawReply =
  | { readonly page: Page; readonly status?: number }
  /** The next URL of the browser, sent with 303. */
  | { readonly redirect: string }
  | { readonly document: object; readonly maxAgeSeconds: number }
  /** A function that writes the answer instead. */
  | { readonly answeredBy: (exchange: RawExchange) => Promise<void> };
