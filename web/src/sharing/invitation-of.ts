import type { NewInvitation } from '@notevault/protocol/members.ts';

const DAY_SECONDS = 24 * 60 * 60;

/** What a filled-in form asks for. An invitation for one e-mail is for one person. */
export function invitationOf(form: FormData): NewInvitation {
  const email = String(form.get('email') ?? '').trim();
  return {
    role: form.get('role') === 'viewer' ? 'viewer' : 'editor',
    expires_in: Number(form.get('days')) * DAY_SECONDS,
    ...(email === '' ? { uses: Number(form.get('uses')) } : { email }),
  };
}
