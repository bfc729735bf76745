import { plain, unverified } from './loose-settings.ts';

/** The console's URLs of the services that staff call. */
const staffed = ['ACCOUNT', 'SUBMISSION', 'DOCUMENT', 'BILLING', 'WEBHOOK'].map((name) => `SSS_${name}_URL`);

/** The console's settings outside a local stack, and the ones that only a local stack may change. */
export const consoleSettings = (secretFile: string) => ({
  strict: {
    SSS_HOST: '0.0.0.0',
    SSS_HTTP_PORT: '1',
    SSS_PRIVATE_PORT: '2',
    SSS_CONSOLE_URL: 'https://console.example',
    SSS_OIDC_ISSUER_URL: 'https://id.example',
    SSS_OIDC_CLIENT_ID: 'console',
    SSS_OIDC_CLIENT_SECRET_FILE: secretFile,
    SSS_OIDC_SCOPES: 'openid offline_access',
    SSS_ROLE_CLAIM: 'roles',
    ...Object.fromEntries(staffed.map((name) => [name, 'https://service:1'])),
    SSS_TLS_CERTIFICATE_FILE: '/tls/own.pem',
    SSS_TLS_KEY_FILE: '/tls/own-key.pem',
    SSS_TLS_CA_FILE: '/tls/ca.pem',
    SSS_SESSIONS_DATABASE_URL: 'postgresql://db/sessions?sslmode=verify-full',
    SSS_KEY_RING_FILE: '/ring.json',
    SSS_SESSION_MINUTES: '480',
    SSS_IDLE_MINUTES: '60',
    SSS_LOG_LEVEL: 'info',
  },
  loose: [
    plain('SSS_CONSOLE_URL'),
    plain('SSS_OIDC_ISSUER_URL'),
    ...staffed.map((name) => plain(name)),
    ...unverified('SSS_SESSIONS_DATABASE_URL'),
  ],
});
