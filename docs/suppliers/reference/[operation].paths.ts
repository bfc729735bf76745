import { type Operation, operations } from '../.vitepress/operations.ts';
import { snippetsOf } from '../.vitepress/snippets.ts';

/** A page for each operation, written from the OpenAPI document. */
export default {
  paths: () =>
    operations().map((operation) => ({
      params: { operation: operation.id, summary: operation.summary },
      content: pageOf(operation),
    })),
};

function pageOf(operation: Operation): string {
  const { id, summary, description, method, path, answers } = operation;
  return [
    `# ${summary}`,
    `<p class="call"><strong>${method}</strong> <code>${path}</code></p>`,
    description,
    `Every field, header and bound: [${id} in the whole reference](/docs#${id}){target="_self"}.`,
    '<div class="beside"><div>',
    '## Request',
    '::: code-group',
    ...snippetsOf(operation).map(
      ({ language, fence, program }) => `\`\`\`${fence} [${language}]\n${program}\n\`\`\``,
    ),
    ':::',
    ...(FRESH[id] ?? []),
    '</div><div>',
    '## Answers',
    '::: code-group',
    ...answers.map(
      ({ status, summary: what, body }) =>
        `\`\`\`json [${status} ${what}]\n${JSON.stringify(body, null, 2)}\n\`\`\``,
    ),
    ':::',
    '</div></div>',
    '',
    'What each refusal means, and what to do: [errors](/errors).',
  ].join('\n\n');
}

/** What a reader who sends the example twice will wonder about. */
const FRESH: Readonly<Record<string, readonly string[]>> = {
  createSubmission: ofCreates(),
  createDeliverySubmission: ofCreates(),
};

function ofCreates(): readonly string[] {
  return [
    'Sent again as it is, it is [the same request](/recovery) and answers 200 with what became of it. With another `external_reference`, it is another lead of the same customer: a [duplicate](/lead#duplicates), if the first was accepted. For another customer change the telephone number, the email address and the company number, too.',
  ];
}
