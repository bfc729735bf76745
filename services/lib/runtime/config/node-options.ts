/** The risk of a Node flag, as the rest of a sentence that begins with where the flag is set. */
const OPENINGS: readonly (readonly [flag: RegExp, what: string])[] = [
  [/^--(inspect|debug|no-disable-sigusr1)(-|$)/, 'allows a debugger to attach'],
  [
    /^(-r|--(require|import|loader|experimental-loader|experimental-(default-)?config-file))$/,
    'runs code that is not part of the service',
  ],
  [
    /^--(tls-(min-v1\.[01]|max-v1\.[01]|cipher-list|keylog)|trace-tls|openssl-(legacy-provider|config|shared-config))$/,
    'allows others to read TLS traffic',
  ],
  [/^--security-revert$/, 'reverts a security fix of Node'],
  [/^--insecure-http-parser$/, 'accepts malformed HTTP requests'],
  [/^--(heapsnapshot-|heap-prof(-|$))/, 'writes memory, including keys, to a file'],
  // No exception for --report-exclude-env: it is easily lost, and nothing here needs reports.
  [/^--report-/, 'writes the environment, including passwords, to a file or the log'],
];

/**
 * Lists what Node flags, `NODE_OPTIONS` and Node's and OpenSSL's variables loosen, one sentence each. Additional
 * authorities (`NODE_EXTRA_CA_CERTS`), sizes and warnings loosen nothing.
 */
export function looseRuntime(env: NodeJS.ProcessEnv, execArgv: readonly string[]): string[] {
  const { NODE_TLS_REJECT_UNAUTHORIZED, NODE_OPTIONS = '', NODE_DEBUG, NODE_V8_COVERAGE, OPENSSL_CONF } = env;
  return [
    ...(NODE_TLS_REJECT_UNAUTHORIZED === '0' ? ['NODE_TLS_REJECT_UNAUTHORIZED accepts any certificate'] : []),
    ...openings('NODE_OPTIONS', wordsOf(NODE_OPTIONS)),
    ...openings('the command line of Node', execArgv),
    ...(NODE_DEBUG ? ['NODE_DEBUG writes traffic, including tokens, to the log'] : []),
    ...(NODE_V8_COVERAGE ? ['NODE_V8_COVERAGE writes coverage to files'] : []),
    ...(OPENSSL_CONF ? ['OPENSSL_CONF loads TLS settings and code from a file'] : []),
  ];
}

function openings(where: string, words: readonly string[]): string[] {
  return words.flatMap((word) => {
    // Node accepts underscores for dashes, and a value after an equals sign.
    const flag = (word.split('=', 1)[0] ?? '').replaceAll('_', '-');
    const [, what] = OPENINGS.find(([pattern]) => pattern.test(flag)) ?? [];
    return what === undefined ? [] : [`${where} ${what} by ${flag}`];
  });
}

/** Splits options as Node does: at white space outside double quotes, with backslash escapes inside them. */
function wordsOf(options: string): string[] {
  const words = options.match(/(?:"(?:\\.|[^"\\])*"?|[^\s"])+/g) ?? [];
  return words.map((word) =>
    word.replace(/"((?:\\.|[^"\\])*)"?/g, (_all, quoted: string) => quoted.replace(/\\(.)/g, '$1')),
  );
}
