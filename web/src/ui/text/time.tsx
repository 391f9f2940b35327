import i18next from 'i18next';
import { relativeTime } from './relative-time.ts';

/** A moment as the time since then; the exact time on pointing. */
export function Time({ at, className }: { readonly at: string; readonly className?: string | undefined }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString(i18next.language)} className={className}>
      {relativeTime(date, new Date(), i18next.language)}
    </time>
  );
}
