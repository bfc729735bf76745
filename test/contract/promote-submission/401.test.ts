import { refusesWhoIsUnknown } from '../../harness/common-refusals.ts';

describe('401 to a promotion', () => {
  refusesWhoIsUnknown('promote-submission');
});
