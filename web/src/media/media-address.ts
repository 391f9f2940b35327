import { BASE } from '../platform/base.ts';

/** Addresses below this exist only in browsers whose media worker answers them. */
export const MEDIA = `${BASE}media/`;

/** The address of an attachment for the elements of a page, which the media worker answers. */
export function mediaAddress(vault: string, path: string): string {
  return `${MEDIA}${encodeURIComponent(vault)}/${path.split('/').map(encodeURIComponent).join('/')}`;
}
