import { readFileSync } from 'node:fs';

// As a program with the path of a verifier, prints it with the samples of the published reference. A sample is the same
// in Node and in Python: JSON in single quotes with doubled backslashes.
const [path = ''] = process.argv.slice(2);
const DOCUMENT = new URL('../../../docs/openapi/v1.json', import.meta.url);
const REGION = /((?:\/\/|#) SAMPLES:[^\n]*\n)[\s\S]*?((?:\/\/|#) END OF SAMPLES\n)/;

const { webhooks } = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
const [{ post }] = Object.values<{ post: Described }>(webhooks) as [{ post: Described }];
interface Described {
  readonly requestBody: {
    readonly content: {
      readonly 'application/json': { readonly examples: Readonly<Record<string, { value: object }>> };
    };
  };
}

const quoted = (value: object) =>
  `'${JSON.stringify(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const isPython = path.endsWith('.py');
const lines = Object.entries(post.requestBody.content['application/json'].examples).map(
  ([kind, { value }]) =>
    isPython ? `    "${kind}": ${quoted(value)},` : `  ${kind}:\n    ${quoted(value)},`,
);
const samples = `${isPython ? 'SAMPLES = {' : 'const SAMPLES = {'}\n${lines.join('\n')}\n${isPython ? '}' : '};'}\n`;
const source = readFileSync(path, 'utf8');
if (!REGION.test(source)) throw new Error(`${path} has no marker for samples`);
process.stdout.write(source.replace(REGION, (_all, start, end) => `${start}${samples}${end}`));
