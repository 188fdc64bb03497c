// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

// The Router as an integrator knows it: by its ABI. Written down a second time on purpose, so that a change of a shape,
// an error or the event fails here, and so that the tests need no compiling when only the implementation changes.

struct Step {
    address target;
    uint256 value;
    address approveToken;
    address spender;
    address patchToken;
    uint256 patchOffset;
    uint256 patchMul;
    bytes data;
}

struct Deposit {
    address asset;
    uint256 amount;
    uint256 minIn;
    address shareToken;
    address receiver;
    uint256 minShares;
    uint256 deadline;
    address refundTo;
    bytes32 ref;
    bytes32 partnerId;
    uint8 partnerType;
}

interface IDepositRouter {
    event Deposited(
        bytes32 indexed ref,
        bytes32 indexed partnerId,
        address indexed receiver,
        address shareToken,
        address sender,
        address asset,
        uint256 amountIn,
        uint256 shares,
        uint8 partnerType
    );

    error Reentered();
    error DeadlinePassed(uint256 deadline, uint256 timestamp);
    error ZeroAmount();
    error ZeroMinIn();
    error ZeroMinShares();
    error ZeroReceiver();
    error ZeroRefundTo();
    error ReceiverForbidden(address receiver);
    error RefundToForbidden(address refundTo);
    error ShareTokenIsAsset(address asset);
    error NativeValueMismatch(uint256 sent, uint256 expected);
    error CloneFailed();
    error InputBelowMinimum(uint256 received, uint256 minIn);
    error SharesBelowMinimum(uint256 shares, uint256 minShares);
    error OnlyRouter();
    error TargetForbidden(address target);
    error TargetWithoutCode(address target);
    error PatchOutOfBounds(uint256 offset, uint256 length);
    error CallFailed(address target);
    error TokenRefused(address token);
    error TokenUnreadable(address token);
    error RefundRejected(address refundTo, uint256 amount);

    function executorImplementation() external view returns (IExecutor);
    function deposit(Deposit calldata d, Step[] calldata steps, address[] calldata sweep)
        external
        payable
        returns (uint256 shares);
}

interface IExecutor {
    function run(Step[] calldata steps, address asset, address[] calldata sweep, address refundTo) external payable;
}
