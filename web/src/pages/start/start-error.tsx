import { useTexts } from '../../i18n/use-texts.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { startErrorOf } from './start-errors.ts';

/** Shows why an attempt failed; nothing if none did. */
export function StartError({ error }: { readonly error: unknown }) {
  const t = useTexts('start');
  if (error === null) return null;
  const { key, values } = startErrorOf(error);
  return <Notice kind="danger">{t(key, values)}</Notice>;
}
