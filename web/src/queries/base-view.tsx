import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { keys } from '../data/keys.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { errorText } from '../ui/feedback/error-text.ts';
import { Notice } from '../ui/feedback/notice.tsx';
import styles from './base-view.module.css';
import { queryTables } from './query-tables.ts';

interface BaseViewProps {
  readonly vaultId: string;
  /** Where the text of the base is. */
  readonly url: string;
}

/** The tables of a base, to be read. */
export function BaseView({ vaultId, url }: BaseViewProps) {
  const t = useTexts('editor');
  const tVault = useTexts('vault');
  const { data, error } = useQuery({
    queryKey: [...keys.lists(vaultId), 'base', url],
    queryFn: async ({ signal }) => {
      const answer = await fetch(url, { signal });
      if (!answer.ok) throw new Error(`refused with ${answer.status}`);
      return queryTables(vaultId, 'base', await answer.text());
    },
  });
  if (error !== null && data === undefined) {
    const reason = error.name.startsWith('YAML') ? error.message : errorText(tVault, error);
    return <Notice kind="danger">{`${t('strings.queryFailed')} ${reason}`}</Notice>;
  }
  return (
    <div className={styles.base}>
      {data?.tables.map(({ name, columns, rows, total }) => (
        <section key={name} aria-label={name}>
          {name === '' ? null : <h2 dir="auto">{name}</h2>}
          {rows.length === 0 ? (
            <p>{t('strings.queryNone')}</p>
          ) : (
            <table>
              <thead>
                <tr>
                  {[t('strings.queryNote'), ...columns].map((column) => (
                    <th key={column} scope="col" dir="auto">
                      {column}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map(({ id, name: note, values }) => (
                  <tr key={id}>
                    <td dir="auto">
                      <Link to="/vaults/$vaultId/notes/$noteId" params={{ vaultId, noteId: id }}>
                        {note}
                      </Link>
                    </td>
                    {columns.map((column, at) => (
                      <td key={column} dir="auto">
                        {values[at]}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {total > rows.length ? <p>{t('strings.queryMore', { shown: rows.length, total })}</p> : null}
        </section>
      ))}
      {data === undefined || data.unread.length === 0 ? null : (
        <Notice kind="plain">
          <p>
            {t('strings.queryUnread')}{' '}
            {data.unread.map((part) => (
              <code key={part}>{part} </code>
            ))}
          </p>
        </Notice>
      )}
    </div>
  );
}
