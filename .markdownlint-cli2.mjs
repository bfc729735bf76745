import relativeLinks from 'markdownlint-rule-relative-links';
import searchReplace from 'markdownlint-rule-search-replace';

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

/** Phrases that read foreign in English prose: say it plainly instead. */
const PHRASES = [
  ['somebody, nobody', 'somebody|nobody'],
  ['at once', 'at once'],
  ['of its own, of ours', 'of (?:ours|theirs|our own|their own|its own|his own)'],
  ['whoever, whatever, whichever', 'whoever|whatever|whichever|however many'],
  ['goes on', '(?:goes|go|went|going) on'],
  ['stands, lies', '(?:stands?|stood|lies|lay) (?:in|at|beside|before|behind|there|for|on|over|under)'],
  ['by itself', 'by (?:itself|themselves)'],
  ['those of, those whose', 'those (?:of|that|whose|which|who)'],
  ['is told', '(?:is|are|was|were|be|been|being) told|tells? of'],
  ['becomes of', '(?:becomes?|became|become) of'],
  ['anew, upon, once more', 'anew|upon|once more|all the same|for ever|hitherto'],
  ['of whom, of which', 'of whom|of what|for whom|of which|to whom'],
  ['came to nothing', '(?:came|come|comes) to (?:nothing|its end|an end)'],
  ['alone after a noun', '\\w+s alone'],
  ['what it says', 'what (?:it|they|he|she|that) (?:says?|has|have|holds?|does|wants?)'],
];

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
