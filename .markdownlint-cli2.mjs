import relativeLinks from 'markdownlint-rule-relative-links';
import searchReplace from 'markdownlint-rule-search-replace';
import phrases from './deploy/commands/verify/foreign-phrases.json' with { type: 'json' };

/** Names that keep their capitals within a heading. */
const NAMES = [
  'Application',
  'Applications',
  'Connect',
  'Debian',
  'Fastify',
  'Grafana',
  'Helm',
  'Kubernetes',
  'Node',
  'Postman',
  'PostgreSQL',
  'Prisma',
  'Prometheus',
  'Python',
  'Ruby',
  'Secrets',
  'Standard',
  'Webhooks',
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Patterns of phrases that read foreign in English prose, by name. */
const PHRASES = Object.entries(phrases);

const LONGEST_SENTENCE = 30;

export default {
  globs: ['**/*.md'],
  ignores: ['.github/**', '**/node_modules/**', '.run/**', '**/generated/**', 'services/*/dist/**'],
  customRules: [relativeLinks, searchReplace],
  config: {
    default: true,
    // A paragraph is one line.
    MD013: false,
    // Rules are numbered through a page's sections.
    MD029: false,
    // Tables are padded by no formatter.
    MD060: false,
    // What a shell does not run is indented.
    MD046: false,
    MD033: { allowed_elements: ['a', 'p'] },
    'relative-links': true,
    'search-replace': {
      rules: [
        ...PHRASES.map(([name, pattern]) => ({
          name: name.replaceAll(/\W+/g, '-'),
          message: `reads foreign: ${name}`,
          searchPattern: `/\\b(?:${pattern})\\b/gi`,
          searchScope: 'text',
        })),
        {
          name: 'sentence-case',
          message: 'a heading has capitals only in its first word and in names',
          searchPattern: `/^#+ .*[a-z,:)] (?!(?:${NAMES.join('|')})\\b)[A-Z][a-z]+/gm`,
          searchScope: 'text',
        },
        {
          name: 'long-sentence',
          message: `more than ${LONGEST_SENTENCE} words`,
          searchPattern: `/(?:[^\\s.!?:;|]+,? ){${LONGEST_SENTENCE}}[^\\s.!?:;|]+/g`,
          searchScope: 'text',
        },
      ],
    },
  },
};
