import * as attachments from '@notevault/protocol/attachments.ts';
import { NewTicket, Ticket, TicketParams } from '@notevault/protocol/tickets.ts';
import { type Route, route } from '../../../../http/route.ts';
import { fileReply } from '../../../content/attachments/download.schema.ts';
import { rawUpload } from '../../../content/attachments/uploads/uploads.schema.ts';
import type { Tickets } from './tickets.ts';

export function ticketsRoutes(tickets: Tickets): Route[] {
  return [
    route({
      method: 'POST',
      path: '/tickets',
      operation: 'createTicket',
      summary:
        'Make a URL for one download or upload of an attachment, or for a vault as a zip, which needs no credential for five minutes',
      body: NewTicket,
      responses: { 200: Ticket },
      errors: ['insufficient_access', 'api_key_not_allowed'],
      handle: async ({ principal, vault, body }) => ({ body: await tickets.issue(principal, vault, body) }),
    }),
    route({
      method: 'GET',
      path: '/tickets/:ticket',
      operation: 'downloadByTicket',
      summary: 'Get the bytes of the attachment that a ticket is for, or the zip of its vault',
      params: TicketParams,
      responses: { 200: attachments.AttachmentWithContent },
      sendsBytes: true,
      errors: ['ticket_not_found', 'attachment_not_found', 'attachment_unreadable', 'range_not_satisfiable'],
      handle: async ({ params, header }) => {
        const opened = await tickets.open(params.ticket);
        if ('file' in opened) return fileReply(opened.file, { query: { raw: '1' }, header });
        return zipReply(opened.zip);
      },
    }),
    route({
      method: 'PUT',
      path: '/tickets/:ticket',
      operation: 'uploadByTicket',
      summary: 'Upload the bytes of the attachment that a ticket is for, once',
      params: TicketParams,
      takes: { mediaType: 'application/octet-stream', schema: attachments.FileBytes },
      responses: { 200: attachments.AttachmentUploaded },
      errors: [
        ...(['ticket_not_found', 'limit_exceeded', 'body_too_large', 'extension_not_allowed'] as const),
        ...(['file_too_large', 'mime_not_allowed', 'conflict', 'attachment_unreadable'] as const),
      ],
      handle: async ({ params, stream, header }) => {
        const give = (path: string) => rawUpload({ stream, tail: path, header });
        return { body: { attachment: await tickets.upload(params.ticket, give) } };
      },
    }),
  ];
}

/** A zip whose length is not known before it is made. */
function zipReply(open: () => Promise<AsyncIterable<Uint8Array>>) {
  const headers = {
    'content-type': 'application/zip',
    'content-disposition': 'attachment; filename="vault.zip"',
    'cache-control': 'no-store',
  };
  return { headers, bytes: { length: null, open } };
}
