export type ProxyFault = 'sockets' | 'body-size' | 'client-address' | 'host' | 'scheme' | 'paths';

const FIXES: Readonly<Record<ProxyFault, Readonly<Record<string, string>>>> = {
  sockets: {
    Caddy: 'nothing to set; look for a matcher that leaves /api/sync out',
    nginx: 'proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";',
    Traefik: 'nothing to set; look for a middleware that removes the headers Upgrade and Connection',
    Apache: 'a2enmod proxy_wstunnel; ProxyPass / http://127.0.0.1:4100/ upgrade=websocket',
    'Nginx Proxy Manager': 'switch on "Websockets Support" of the proxy host',
  },
  'body-size': {
    Caddy: 'remove request_body max_size',
    nginx: 'client_max_body_size 0; proxy_request_buffering off;',
    Traefik: 'remove the middleware buffering.maxRequestBodyBytes',
    Apache: 'LimitRequestBody 0',
    'Nginx Proxy Manager': 'Advanced: client_max_body_size 0;',
  },
  'client-address': {
    Caddy: 'nothing to set; behind another proxy: servers { trusted_proxies … }',
    nginx: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
    Traefik: 'nothing to set; behind another proxy: entryPoints.….forwardedHeaders.trustedIPs',
    Apache: 'ProxyAddHeaders On',
    'Nginx Proxy Manager': 'nothing to set',
  },
  host: {
    Caddy: 'remove header_up Host',
    nginx: 'proxy_set_header Host $http_host;',
    Traefik: 'passHostHeader: true',
    Apache: 'ProxyPreserveHost On',
    'Nginx Proxy Manager': 'nothing to set; look for a custom Host header',
  },
  scheme: {
    Caddy: 'nothing to set',
    nginx: 'proxy_set_header X-Forwarded-Proto $scheme;',
    Traefik: 'nothing to set',
    Apache: 'RequestHeader set X-Forwarded-Proto "https"',
    'Nginx Proxy Manager': 'nothing to set',
  },
  paths: {
    Caddy: 'reverse_proxy for all paths, without a matcher',
    nginx: 'location / { … } instead of location /api { … }',
    Traefik: 'a rule of Host(`…`) without PathPrefix',
    Apache: 'ProxyPass / … instead of ProxyPass /api …',
    'Nginx Proxy Manager': 'no custom location',
  },
};

/** The fix in the words of each proxy, a line each. */
export function fixesOf(fault: ProxyFault): string {
  return Object.entries(FIXES[fault])
    .map(([proxy, fix]) => `\n        ${proxy}: ${fix}`)
    .join('');
}
