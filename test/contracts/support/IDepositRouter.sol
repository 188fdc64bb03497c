// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

// The Router as an integrator knows it: by its ABI. Written down a second time on purpose, so that a change of a shape,
// an error or the event fails here, and so that the tests need no compiling when only the implementation changes.

address constant SELF = address(0xff);
address constant BRIDGED = address(0xbb);

struct Patch {
    uint256 offset;
    address token;
    uint256 mul;
    uint256 div;
}

struct Step {
    address target;
    uint256 value;
    address approveToken;
    address spender;
    address needToken;
    uint256 needAmount;
    Patch[] patches;
    bytes data;
}

struct Order {
    address tokenIn;
    uint256 amountIn;
    uint256 minIn;
    uint256 nativeFee;
    address tokenOut;
    address receiver;
    uint256 minOut;
    uint256 minOutPerIn;
    uint256 deadline;
    bool direct;
    address refundTo;
    bytes32 ref;
    bytes32 partnerId;
    uint8 partnerType;
}

interface IDepositRouter {
    event OrderExecuted(
        bytes32 indexed ref,
        bytes32 indexed partnerId,
        address indexed receiver,
        address payer,
        address tokenIn,
        address tokenOut,
        uint256 amountIn,
        uint256 amountOut,
        uint8 partnerType
    );

    error Reentered();
    error DeadlinePassed(uint256 deadline, uint256 timestamp);
    error DeadlineTooFar(uint256 deadline, uint256 latest);
    error ZeroAmount();
    error ZeroMinIn();
    error ZeroMinOut();
    error BridgedFloor();
    error BridgeUnmeasured();
    error ZeroReceiver();
    error ZeroRefundTo();
    error ReceiverForbidden(address receiver);
    error RefundToForbidden(address refundTo);
    error SameToken(address token);
    error NativeFeeForbidden();
    error NativeInForbidden();
    error EverythingForbidden();
    error NativeValueMismatch(uint256 sent, uint256 expected);
    error CloneFailed();
    error ExecutorFailed();
    error InputBelowMinimum(uint256 received, uint256 minIn);
    error OutputBelowMinimum(uint256 amountOut, uint256 floor);
    error OnlyRouter();
    error StepTargetForbidden(uint256 index, address target);
    error StepTargetWithoutCode(uint256 index, address target);
    error StepUnderfunded(uint256 index, uint256 held, uint256 needed);
    error StepValueForbidden(uint256 index);
    error StepPatchOutOfBounds(uint256 index, uint256 offset, uint256 length);
    error StepPatchOverflow(uint256 index);
    error StepTookTooLittle(uint256 index, uint256 taken, uint256 needed);
    error StepFailed(uint256 index, bytes reason);
    error TokenFailed(address token, bytes reason);
    error AuthorizationFailed(bytes reason);
    error RefundRejected(address refundTo, uint256 amount);

    function executorImplementation() external view returns (IExecutor);
    function execute(Order calldata order, Step[] calldata steps, address[] calldata sweep)
        external
        payable
        returns (uint256 amountOut);
    function executeWithPermit(
        Order calldata order,
        Step[] calldata steps,
        address[] calldata sweep,
        bytes calldata signature
    ) external payable returns (uint256 amountOut);
    function executeWithAuthorization(
        Order calldata order,
        Step[] calldata steps,
        address[] calldata sweep,
        address owner,
        bytes calldata signature
    ) external returns (uint256 amountOut);
    function executeWithPermit2(
        Order calldata order,
        Step[] calldata steps,
        address[] calldata sweep,
        address owner,
        bytes calldata signature
    ) external returns (uint256 amountOut);
}

interface IExecutor {
    function run(Order calldata order, Step[] calldata steps, address[] calldata sweep)
        external
        payable
        returns (uint256 amountOut);
}
