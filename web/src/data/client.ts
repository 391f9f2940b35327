import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { transport } from '../session/app-session.ts';

/** The API with the session of this tab. */
export const api = new NotevaultClient(transport);
