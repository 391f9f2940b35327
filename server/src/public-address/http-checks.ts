import type { ClientRequest, IncomingMessage } from 'node:http';
import https from 'node:https';
import { WebSocket } from 'ws';
import { http } from '../http/node-http.ts';

const TIMEOUT_MS = 20_000;
const PIECE = Buffer.alloc(64 * 1024);

/** A response. Its body is read up to a limit. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface Question {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** Whether the certificate may be that of another name, as on an address of this machine. */
  readonly anyCertificate?: boolean;
}

/** Null when the address cannot be reached. */
export async function ask(
  url: string,
  { method = 'GET', headers = {}, body = '', anyCertificate = false }: Question = {},
): Promise<HttpAnswer | null> {
  const length = body === '' ? {} : { 'content-length': String(body.length) };
  const sent = open(url, method, { ...headers, ...length }, anyCertificate);
  sent.end(body);
  return answerOf(sent);
}

/** Sends this many bytes unless the answer comes earlier; null when the connection breaks before any answer. */
export async function sendBytes(url: string, bytes: number): Promise<HttpAnswer | null> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes) };
  const sent = open(url, 'PUT', headers);
  const answer = answerOf(sent);
  let isAnswered = false;
  const done = () => {
    isAnswered = true;
  };
  answer.then(done, done);
  for (let left = bytes; left > 0 && !isAnswered && !sent.destroyed; left -= PIECE.length) {
    const more = sent.write(left >= PIECE.length ? PIECE : PIECE.subarray(0, left));
    if (!more) await Promise.race([new Promise((resolve) => sent.once('drain', resolve)), answer]);
  }
  if (!isAnswered) sent.end();
  return answer;
}

export function opensSocket(url: string): Promise<boolean> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { handshakeTimeout: TIMEOUT_MS });
  return new Promise((resolve) => {
    socket.once('open', () => {
      socket.terminate();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function open(url: string, method: string, headers: Record<string, string>, anyCertificate = false): ClientRequest {
  const { request } = url.startsWith('https:') ? https : http;
  return request(url, { method, headers, timeout: TIMEOUT_MS, agent: false, rejectUnauthorized: !anyCertificate });
}

function answerOf(sent: ClientRequest): Promise<HttpAnswer | null> {
  return new Promise((resolve) => {
    sent.once('timeout', () => sent.destroy());
    sent.on('error', () => resolve(null));
    sent.once('close', () => resolve(null));
    sent.once('response', (answer) => {
      let text = '';
      const finish = () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        sent.destroy();
      };
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > 100_000) finish();
      });
      answer.once('end', finish).once('error', finish);
    });
  });
}
