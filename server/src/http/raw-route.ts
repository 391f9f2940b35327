import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Form } from './forms.ts';
import type { Page } from './pages.ts';

/** A route outside `/api`, whose formats are its own: a page for people, an address of an RFC. */
export interface RawRoute {
  readonly method: 'GET' | 'POST';
  /** The whole path; `:id` for a parameter. */
  readonly path: string;
  /** The largest body in bytes. Default: that of public routes. */
  readonly bodyLimit?: number;
  /** `auth`: limited by IP and path. */
  readonly limit?: 'auth';
  /** That HEAD is answered, too. */
  readonly head?: true;
  /** That pages of any origin may use it: no cookie counts there. */
  readonly anyOrigin?: true;
  /** That people look at it: an error is shown as a page. */
  readonly forPeople?: true;
  readonly handle: (request: RawRequest) => Promise<RawReply>;
}

/** What a handler gets. */
export interface RawRequest {
  readonly query: Readonly<Record<string, unknown>>;
  /** The form that was sent. Throws `foreign_form` for what another site sent, `unsupported_media_type`. */
  form(): Form;
  /** For a library that reads the request itself: as it may see it, see `requestFor`. */
  readonly browser: RawExchange;
}

/** A request and its response, as Node has them. */
export interface RawExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What a handler answers; one place writes it to the socket. */
export type RawReply =
  | { readonly page: Page; readonly status?: number }
  /** Where the browser goes on, by 303. */
  | { readonly redirect: string }
  | { readonly document: object; readonly maxAgeSeconds: number }
  /** Who writes the answer instead. */
  | { readonly answeredBy: (exchange: RawExchange) => Promise<void> };
