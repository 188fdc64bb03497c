// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @dev Stands for native money in every token field.
address constant NATIVE = address(0);
/// @dev As `Patch.token`: write the executor's own address instead of a balance.
address constant SELF = address(0xff);
/// @dev As `Order.tokenOut`: the last step is a bridge, and what it takes is the output.
address constant BRIDGED = address(0xbb);
/// @dev As `Order.amountIn`: all that the payer has and has allowed. As `Step.value`: all native money held.
uint256 constant EVERYTHING = type(uint256).max;
/// @dev `Order.minOutPerIn` is a ratio of base units times this.
uint256 constant PER_IN_SCALE = 1e27;

/// @notice One word that is written into a step's calldata: floor(executor's balance of `token` x mul / div).
struct Patch {
    uint256 offset; // byte offset of that 32-byte word: 4 <= offset <= data.length - 32
    address token; // token whose balance is written; zero = native; SELF = write the executor's address
    uint256 mul; // factor; 0 counts as 1
    uint256 div; // divisor; 0 counts as 1
}

/// @notice One call that the executor makes.
/// @dev Fields in the order of use: demand `needAmount`, approve `spender`, patch `data`, call `target`, revoke.
struct Step {
    address target; // contract to call; Router, executor, Permit2 and addresses without code are refused
    uint256 value; // native amount in wei; EVERYTHING = all that the executor holds
    address approveToken; // token to approve for the duration of this call; zero = none
    address spender; // spender of that allowance, which is exactly the executor's balance of `approveToken`
    address needToken; // token of which the executor must hold `needAmount`; zero = native, held besides `nativeFee`
    uint256 needAmount; // minimum in the middle, base units; zero = none
    Patch[] patches; // words to write into `data`, in order
    bytes data; // calldata, selector included
}

/// @notice What is paid, and what must come of it. Token amounts are in each token's base units.
struct Order {
    address tokenIn; // ERC-20 taken from the payer; zero = native, taken from msg.value
    uint256 amountIn; // exact amount, or EVERYTHING = min(balance, allowance); native: msg.value less `nativeFee`
    uint256 minIn; // minimum to reach the executor (fees on transfer, bridges that deliver less); never zero
    uint256 nativeFee; // wei on top that pay bridges; what is unused goes to `refundTo`
    address tokenOut; // token that `receiver` must gain; zero = native; BRIDGED = the last step bridges
    address receiver; // account that must gain it
    uint256 minOut; // absolute floor
    uint256 minOutPerIn; // floor per unit that arrived, times 10^27
    uint256 deadline; // last timestamp, in unix seconds, at which the order may run
    bool direct; // true: the last step pays the receiver itself; false: the executor pays out what it holds
    address refundTo; // recipient of leftovers; must accept tokenIn, each token of the steps and of `sweep`
    bytes32 ref; // reference of the quote, only logged
    bytes32 partnerId; // attribution, only logged
    uint8 partnerType; // attribution, only logged
}

/// @title Errors of Router and executor
/// @dev Every error that leaves the Router is one of these, a Panic, or empty (out of gas, or calldata that cannot be
/// decoded): foreign revert data only ever stands inside `reason`, cut at 4,096 bytes, so that no step, token or signer
/// can pose as the Router.
interface OrderErrors {
    /// @notice An order was submitted while another one was running.
    error Reentered();
    /// @notice The block's timestamp is after the deadline; unix seconds.
    error DeadlinePassed(uint256 deadline, uint256 timestamp);
    /// @notice A signed order may not outlive this timestamp; unix seconds.
    error DeadlineTooFar(uint256 deadline, uint256 latest);
    /// @notice `amountIn` is zero, or it is EVERYTHING and there is nothing.
    error ZeroAmount();
    /// @notice `minIn` is zero: a floor for the input is mandatory.
    error ZeroMinIn();
    /// @notice Both output floors are zero: one is mandatory unless the order ends in a bridge.
    error ZeroMinOut();
    /// @notice An order that ends in a bridge has no output here, so it may not have an output floor.
    error BridgedFloor();
    /// @notice An order that ends in a bridge needs a last step whose `needAmount` is not zero.
    error BridgeUnmeasured();
    /// @notice `receiver` is the zero address.
    error ZeroReceiver();
    /// @notice `refundTo` is the zero address.
    error ZeroRefundTo();
    /// @notice The output may not go to the Router or an executor: it would be lost.
    error ReceiverForbidden(address receiver);
    /// @notice Leftovers may not go to the Router or an executor: they would be lost.
    error RefundToForbidden(address refundTo);
    /// @notice Input and output are the same token: a refund could not be told from an output.
    error SameToken(address token);
    /// @notice A fee in native money is refused in signed orders, and where native money is the output.
    error NativeFeeForbidden();
    /// @notice Native money cannot be taken by a signature.
    error NativeInForbidden();
    /// @notice A signed order names its exact amount.
    error EverythingForbidden();
    /// @notice msg.value differs from `nativeFee` plus the native `amountIn`; wei.
    error NativeValueMismatch(uint256 sent, uint256 expected);
    /// @notice The executor could not be created (out of gas).
    error CloneFailed();
    /// @notice The executor ended without a reason (out of gas, or calldata that cannot be decoded).
    error ExecutorFailed();
    /// @notice Less than `minIn` of the token reached the executor; base units of tokenIn.
    error InputBelowMinimum(uint256 received, uint256 minIn);
    /// @notice The receiver gained less than the higher of the two floors; base units of tokenOut.
    error OutputBelowMinimum(uint256 amountOut, uint256 floor);
    /// @notice Only the Router may call an executor.
    error OnlyRouter();
    /// @notice A step may not call the Router, an executor or Permit2.
    error StepTargetForbidden(uint256 index, address target);
    /// @notice A step may not call an address without code: the call would succeed without effect.
    error StepTargetWithoutCode(uint256 index, address target);
    /// @notice The executor holds less than the step demands; base units of its `needToken`.
    error StepUnderfunded(uint256 index, uint256 held, uint256 needed);
    /// @notice `value` may not be EVERYTHING while a native fee is held.
    error StepValueForbidden(uint256 index);
    /// @notice A patch's offset is outside 4 <= offset <= length - 32.
    error StepPatchOutOfBounds(uint256 index, uint256 offset, uint256 length);
    /// @notice A patch's word is above 2^256 - 1.
    error StepPatchOverflow(uint256 index);
    /// @notice The bridge took less than the step's `needAmount` (and the native fee); base units.
    error StepTookTooLittle(uint256 index, uint256 taken, uint256 needed);
    /// @notice The call of a step reverted; `reason` is its revert data.
    error StepFailed(uint256 index, bytes reason);
    /// @notice A token (zero: native money) refused to be read, approved or moved; `reason` is what it returned.
    error TokenFailed(address token, bytes reason);
    /// @notice The token or Permit2 refused the signature, or nothing arrived; `reason` is the revert data.
    error AuthorizationFailed(bytes reason);
    /// @notice `refundTo` rejected the native leftover; wei.
    error RefundRejected(address refundTo, uint256 amount);
}

interface IERC20 {
    function balanceOf(address owner) external view returns (uint256);
    function allowance(address owner, address spender) external view returns (uint256);
    function approve(address spender, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}
