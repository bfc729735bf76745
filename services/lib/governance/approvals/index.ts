export { type ActLine, factLines, type Spelled, spelled } from './act-lines.ts';
export { type Approvable, type ApprovableAct, approvableAct, type Judge } from './approvable-act.ts';
export {
  type Approvals,
  type ApprovalsOptions,
  type FourEyes,
  fourEyes,
  openApprovals,
} from './approvals.ts';
