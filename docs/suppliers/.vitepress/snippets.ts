import { HTTPSnippet } from '@readme/httpsnippet';
import type { Operation } from './operations.ts';

/** Placeholders in the pages for the deployment's sandbox and the supplier's credential. */
export const SANDBOX_URL = 'https://sandbox.supplier.example';
export const CREDENTIAL = 'sss_test_YOUR_CREDENTIAL';

const LANGUAGES = [
  { label: 'curl', fence: 'sh', target: 'shell', client: 'curl' },
  { label: 'JavaScript', fence: 'js', target: 'javascript', client: 'fetch' },
  { label: 'Python', fence: 'py', target: 'python', client: 'requests' },
  { label: 'PHP', fence: 'php', target: 'php', client: 'curl' },
] as const;

export type Language = (typeof LANGUAGES)[number]['label'];

/** The request of an operation's first example as a program, in each language. */
export function snippetsOf({
  method,
  target,
  body,
}: Operation): { language: Language; fence: string; program: string }[] {
  const snippet = new HTTPSnippet({
    method,
    url: `${SANDBOX_URL}${target}`,
    headers: [
      { name: 'authorization', value: `Bearer ${CREDENTIAL}` },
      ...(body === undefined ? [] : [{ name: 'content-type', value: 'application/json' }]),
    ],
    ...(body === undefined ? {} : { postData: { mimeType: 'application/json', text: JSON.stringify(body) } }),
  } as ConstructorParameters<typeof HTTPSnippet>[0]);
  return LANGUAGES.map(({ label, fence, target: language, client }) => {
    const [program] = snippet.convert(language, client) || [];
    if (!program) throw new Error(`no program in ${label} for ${method} ${target}`);
    return { language: label, fence, program };
  });
}
