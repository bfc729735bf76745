/** To be built. */
export function ApprovalsScreen() {
  return <h1>Approvals</h1>;
}
