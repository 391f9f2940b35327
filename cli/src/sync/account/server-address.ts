import { CliError } from '../../error-messages.ts';

/**
 * Returns the origin of a server's address. Refuses plain HTTP to another machine, because others on the network could
 * read notes and credential.
 */
export function serverOrigin(address: string, allowHttp: boolean): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CliError(`"${address}" must be the address of a server, such as https://notes.example.org.`);
  }
  if (url.protocol === 'http:' && !allowHttp && !isThisMachine(url.hostname)) {
    throw new CliError(
      `${address} is not encrypted: others on the network could read your notes. Use https, or add --allow-http in a network that you trust.`,
    );
  }
  const path = url.pathname.replace(/\/+(?:api\/*)?$/, '');
  return url.origin + path;
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host);
}
