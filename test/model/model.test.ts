import * as rules from './model.ts';
import { runSequences } from './sequences.ts';

const steps = Number(process.env.MODEL_STEPS ?? 2_000);
const seed = Number(process.env.MODEL_SEED ?? Date.now() % 1_000_000);
const MS_FOR_EACH = 200;
jest.setTimeout(60_000 + steps * MS_FOR_EACH);

describe('random operations of suppliers and staff', () => {
  it('get the responses of the model, and leave every submission as the model says', async () => {
    console.error(await runSequences({ steps, seed, rules }));
  });
});
