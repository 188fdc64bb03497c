// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @notice One call that an Executor makes.
/// @dev Fields in the order of use: approve `spender`, patch `data`, call `target`, revoke the approval.
struct Step {
    address target; // contract to call; the Router, the Executor, its clone, Permit2 and codeless addresses are refused
    uint256 value; // native amount in wei; type(uint256).max = the clone's whole balance
    address approveToken; // token to approve for the duration of this call; zero = none
    address spender; // spender of the allowance, which is exactly the clone's balance of `approveToken`
    address patchToken; // token whose balance in the clone is written into `data`; zero = none
    uint256 patchOffset; // byte offset of that 32-byte word: 4 <= patchOffset <= data.length - 32
    uint256 patchMul; // factor on that balance (10^n scales decimals); 0 counts as 1
    bytes data; // calldata, selector included
}

/// @notice The caller's payment and the receiver's minimum. Token amounts are in each token's base units.
struct Deposit {
    address asset; // ERC-20 taken from msg.sender; zero = native, taken from msg.value
    uint256 amount; // exact amount; type(uint256).max = the sender's whole balance, for bridge executors only
    uint256 minIn; // minimum to reach the clone (fee on transfer, bridges that deliver less); never zero
    address shareToken; // token whose balance at `receiver` is measured; never the asset
    address receiver; // account that must receive the shares
    uint256 minShares; // minimum increase of the receiver's balance of `shareToken`; never zero
    uint256 deadline; // last timestamp, in unix seconds, at which the deposit may run
    address refundTo; // recipient of leftovers; must accept the asset and each token of `sweep`
    bytes32 ref; // quote reference, only logged
    bytes32 partnerId; // attribution, only logged
    uint8 partnerType; // attribution, only logged
}

/// @title Errors of Router and Executor
/// @dev Inherited by both, so that the Router's ABI decodes every error. Revert data of a step or token is forwarded
/// unchanged, up to 4,096 bytes; a patch product above 2^256-1 is Panic(0x11).
interface DepositErrors {
    /// @notice `deposit` was called while another deposit was running.
    error Reentered();
    /// @notice The block's timestamp is after the deadline; unix seconds.
    error DeadlinePassed(uint256 deadline, uint256 timestamp);
    /// @notice `amount` is zero, or it is type(uint256).max and the sender's balance is zero.
    error ZeroAmount();
    /// @notice `minIn` is zero: a minimum for the input is mandatory.
    error ZeroMinIn();
    /// @notice `minShares` is zero: slippage protection is mandatory.
    error ZeroMinShares();
    /// @notice `receiver` is the zero address.
    error ZeroReceiver();
    /// @notice `refundTo` is the zero address.
    error ZeroRefundTo();
    /// @notice Shares may not go to the Router, the Executor or this deposit's clone: they would be lost.
    error ReceiverForbidden(address receiver);
    /// @notice Leftovers may not go to the Router, the Executor or this deposit's clone: they would be lost.
    error RefundToForbidden(address refundTo);
    /// @notice The asset cannot be its own share token: a refund of it would count as shares.
    error ShareTokenIsAsset(address asset);
    /// @notice msg.value differs from the native `amount` (`expected` is zero for an ERC-20 asset); wei.
    error NativeValueMismatch(uint256 sent, uint256 expected);
    /// @notice The clone could not be created (out of gas).
    error CloneFailed();
    /// @notice Less than `minIn` of the asset reached the clone; base units of the asset.
    error InputBelowMinimum(uint256 received, uint256 minIn);
    /// @notice The receiver's balance increased by less than `minShares`; base units of the share token.
    error SharesBelowMinimum(uint256 shares, uint256 minShares);
    /// @notice Only the Router may call an Executor.
    error OnlyRouter();
    /// @notice A step may not call the Router, the Executor, its clone or Permit2.
    error TargetForbidden(address target);
    /// @notice A step may not call an address without code: the call would succeed without effect.
    error TargetWithoutCode(address target);
    /// @notice `patchOffset` is outside 4 <= patchOffset <= length - 32.
    error PatchOutOfBounds(uint256 offset, uint256 length);
    /// @notice A call reverted without data.
    error CallFailed(address target);
    /// @notice A token's transfer or approval returned something other than true or nothing.
    error TokenRefused(address token);
    /// @notice A token's balanceOf or allowance returned no number.
    error TokenUnreadable(address token);
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

/// @title Low-level calls that neither trust return data nor copy more of it than they need
/// @dev `_agreed` and `_bubble` read the return data of the latest call, so no other call may come between.
abstract contract Calls is DepositErrors {
    uint256 private constant MAX_REVERT_BYTES = 4096;

    /// @dev Copies no return data: returning a megabyte costs the target's memory, not ours.
    function _call(address target, uint256 value, bytes memory data) internal returns (bool ok) {
        assembly ("memory-safe") {
            ok := call(gas(), target, value, add(data, 32), mload(data), 0, 0)
        }
    }

    /// @dev Reverts with the latest call's revert data, truncated to a fixed size, or with CallFailed when it has none.
    function _bubble(address target) internal pure {
        uint256 size;
        assembly ("memory-safe") {
            size := returndatasize()
        }
        if (size == 0) revert CallFailed(target);
        if (size > MAX_REVERT_BYTES) size = MAX_REVERT_BYTES;
        assembly ("memory-safe") {
            let reason := mload(0x40)
            returndatacopy(reason, 0, size)
            revert(reason, size)
        }
    }

    /// @dev True when the latest call returned true, as the standard requires, or nothing, as some tokens do. An
    /// address without code returns nothing too, but every caller has read a number from it before.
    function _agreed() internal pure returns (bool yes) {
        assembly ("memory-safe") {
            switch returndatasize()
            case 0 { yes := 1 }
            default {
                if gt(returndatasize(), 31) {
                    returndatacopy(0, 0, 32)
                    yes := eq(mload(0), 1)
                }
            }
        }
    }

    /// @dev Reverts unless the token's call succeeded.
    function _callToken(address token, bytes memory data) internal {
        if (!_call(token, 0, data)) _bubble(token);
        if (!_agreed()) revert TokenRefused(token);
    }

    function _balanceOf(address token, address owner) internal view returns (uint256) {
        return _read(token, abi.encodeCall(IERC20.balanceOf, (owner)));
    }

    /// @dev Rejects a revert and a short or missing result, so that an address without code has no balance.
    function _read(address token, bytes memory query) internal view returns (uint256 value) {
        bool ok;
        assembly ("memory-safe") {
            ok := staticcall(gas(), token, add(query, 32), mload(query), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            value := mload(0)
        }
        if (!ok) revert TokenUnreadable(token);
    }

    /// @dev Saturates: a balance that fell counts as an increase of zero and does not panic.
    function _rise(uint256 afterwards, uint256 before) internal pure returns (uint256) {
        return afterwards > before ? afterwards - before : 0;
    }
}

/// @title Executor: makes the calls of one deposit and holds nothing before and after it
/// @notice Deployed once by the Router; each deposit runs in a new EIP-1167 clone of it. A clone has no approvals,
/// given or received, before its only run, so a step can only spend that deposit's own funds.
contract Executor is Calls {
    // Permit2 transfers tokens for its caller and has the same address on every chain.
    address private constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;
    address private immutable ROUTER = msg.sender;
    address private immutable IMPLEMENTATION = address(this);

    /// @dev Empty, because wrapped tokens and vaults may send native money with the 2,300 gas of `transfer`.
    receive() external payable {}

    /// @notice Makes the calls, then sends the remaining asset, `sweep` tokens and native money to `refundTo`.
    /// @param steps calls in order; fields as documented at Step
    /// @param asset token of the deposit; zero = native
    /// @param sweep other tokens that a step may leave behind
    /// @param refundTo recipient of the leftovers
    /// @dev Errors: OnlyRouter, those of a step (TargetForbidden, TargetWithoutCode, PatchOutOfBounds, CallFailed),
    /// TokenRefused, TokenUnreadable, RefundRejected, and the revert data of a call.
    function run(Step[] calldata steps, address asset, address[] calldata sweep, address refundTo) external payable {
        if (msg.sender != ROUTER) revert OnlyRouter();
        // Clone addresses are predictable, so the clone may have received native money before.
        uint256 donated = address(this).balance - msg.value;
        for (uint256 i = 0; i < steps.length; ++i) {
            _step(steps[i]);
        }
        if (asset != address(0)) _refund(asset, refundTo);
        for (uint256 i = 0; i < sweep.length; ++i) {
            _refund(sweep[i], refundTo);
        }
        uint256 left = address(this).balance;
        // A rejected refund must not be lost, but a donated wei must not block a refundTo that rejects native money.
        if (left != 0 && !_call(refundTo, left, "") && left > donated) revert RefundRejected(refundTo, left);
    }

    function _step(Step calldata step) private {
        address target = step.target;
        if (target == ROUTER || target == IMPLEMENTATION || target == address(this) || target == PERMIT2) {
            revert TargetForbidden(target);
        }
        if (target.code.length == 0) revert TargetWithoutCode(target);
        bool approved = step.approveToken != address(0) && _approve(step.approveToken, step.spender);
        bytes memory data = step.data;
        if (step.patchToken != address(0)) _patch(data, step);
        uint256 value = step.value == type(uint256).max ? address(this).balance : step.value;
        if (!_call(target, value, data)) _bubble(target);
        if (approved) _disapprove(step.approveToken, step.spender);
    }

    /// @dev Skips a zero balance, because some tokens reject an approval of zero.
    function _approve(address token, address spender) private returns (bool) {
        uint256 held = _balanceOf(token, address(this));
        if (held == 0) return false;
        bytes memory data = abi.encodeCall(IERC20.approve, (spender, held));
        if (!_call(token, 0, data) || !_agreed()) {
            // USDT and similar tokens reject a change from one non-zero allowance, set by an earlier step, to another.
            _callToken(token, abi.encodeCall(IERC20.approve, (spender, 0)));
            _callToken(token, data);
        }
        return true;
    }

    function _disapprove(address token, address spender) private {
        uint256 left = _read(token, abi.encodeCall(IERC20.allowance, (address(this), spender)));
        if (left != 0) _callToken(token, abi.encodeCall(IERC20.approve, (spender, 0)));
    }

    function _patch(bytes memory data, Step calldata step) private view {
        uint256 offset = step.patchOffset;
        // An offset below 4 would overwrite the selector; the length check first keeps the subtraction from wrapping.
        if (offset < 4 || data.length < 36 || offset > data.length - 32) revert PatchOutOfBounds(offset, data.length);
        uint256 held = _balanceOf(step.patchToken, address(this));
        uint256 word = step.patchMul == 0 ? held : held * step.patchMul;
        assembly ("memory-safe") {
            mstore(add(add(data, 32), offset), word)
        }
    }

    function _refund(address token, address refundTo) private {
        uint256 left = _balanceOf(token, address(this));
        if (left != 0) _callToken(token, abi.encodeCall(IERC20.transfer, (refundTo, left)));
    }
}

/// @title DepositRouter: deposits an asset into a yield vault and verifies that the receiver got the shares
/// @notice The only contract that users approve. It has no owner, upgrade, pause, fee or allow-list, and no storage but
/// a reentrancy lock. The contract that holds allowances makes no caller-chosen call, and the contract that makes calls
/// holds no allowance: the Router's only transferFrom is from msg.sender, and the steps run in a new single-use clone.
/// @dev Same address on every chain: no constructor arguments, evm paris, deployed by CREATE2 with a zero salt.
/// The caller must trust the source of steps, share token and minimums; the Router enforces only that the receiver
/// gains `minShares`, that msg.sender alone pays, and that leftovers reach `refundTo`.
contract DepositRouter is Calls {
    uint256 private constant UNLOCKED = 1;
    uint256 private constant LOCKED = 2;

    /// @notice The Executor that every deposit clones.
    Executor public immutable executorImplementation = new Executor();
    // In regular storage, because transient storage would exclude older chains. Zero counts as unlocked too, so that a
    // simulation can override the code on a chain without the Router.
    uint256 private _lock = UNLOCKED;

    /// @notice Shares reached `receiver`. Amounts in base units; `amountIn` is the amount that reached the clone.
    /// @dev Anyone can emit this with fake tokens: match `ref`, asset and share token before crediting it.
    /// @param ref quote reference given by the caller
    /// @param partnerId attribution given by the caller
    /// @param receiver account whose share balance increased
    /// @param shareToken token whose balance was measured
    /// @param sender msg.sender, who paid
    /// @param asset token of the payment; zero = native
    /// @param amountIn measured amount of `asset` that reached the clone
    /// @param shares measured increase of the receiver's balance of `shareToken`
    /// @param partnerType attribution given by the caller
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

    /// @notice Takes `d.amount` of `d.asset` from msg.sender, runs `steps` with it, sends leftovers to `d.refundTo`,
    /// and reverts entirely unless `d.receiver` gained `d.minShares` of `d.shareToken`.
    /// @dev Errors: all DepositErrors except OnlyRouter, and the revert data of the asset or a step. It never catches a
    /// failure, because a bridge refunds its user only when the call reverts.
    /// @param d payment and minimum result; fields and units at Deposit
    /// @param steps calls to make with it, in order
    /// @param sweep tokens besides asset and native that a step may leave in the clone; duplicates are harmless
    /// @return shares increase of the receiver's balance of `d.shareToken`, in its base units
    function deposit(Deposit calldata d, Step[] calldata steps, address[] calldata sweep)
        external
        payable
        returns (uint256 shares)
    {
        // The shares of a deposit nested in another one's steps would count for both.
        if (_lock == LOCKED) revert Reentered();
        _lock = LOCKED;
        uint256 amount = _check(d);
        uint256 sharesBefore = _balanceOf(d.shareToken, d.receiver);
        address payable clone = _clone();
        if (_isOurs(d.receiver, clone)) revert ReceiverForbidden(d.receiver);
        if (_isOurs(d.refundTo, clone)) revert RefundToForbidden(d.refundTo);
        uint256 amountIn = d.asset == address(0) ? amount : _pull(d.asset, clone, amount);
        if (amountIn < d.minIn) revert InputBelowMinimum(amountIn, d.minIn);
        Executor(clone).run{value: msg.value}(steps, d.asset, sweep, d.refundTo);
        shares = _rise(_balanceOf(d.shareToken, d.receiver), sharesBefore);
        if (shares < d.minShares) revert SharesBelowMinimum(shares, d.minShares);
        emit Deposited(
            d.ref, d.partnerId, d.receiver, d.shareToken, msg.sender, d.asset, amountIn, shares, d.partnerType
        );
        _lock = UNLOCKED;
    }

    /// @dev Returns the amount to take, with type(uint256).max replaced by the balance.
    function _check(Deposit calldata d) private view returns (uint256 amount) {
        if (block.timestamp > d.deadline) revert DeadlinePassed(d.deadline, block.timestamp);
        if (d.minIn == 0) revert ZeroMinIn();
        if (d.minShares == 0) revert ZeroMinShares();
        if (d.receiver == address(0)) revert ZeroReceiver();
        if (d.refundTo == address(0)) revert ZeroRefundTo();
        if (d.shareToken == d.asset) revert ShareTokenIsAsset(d.asset);
        bool native = d.asset == address(0);
        amount = d.amount;
        if (amount == type(uint256).max) amount = native ? msg.value : _balanceOf(d.asset, msg.sender);
        if (amount == 0) revert ZeroAmount();
        uint256 expected = native ? amount : 0;
        if (msg.value != expected) revert NativeValueMismatch(msg.value, expected);
    }

    /// @dev EIP-1167. CREATE, not CREATE2: an address from a nonce is never reused, so nothing can have acted as the
    /// clone before. Its address is predictable, but that only allows sending money to it.
    function _clone() private returns (address payable clone) {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", executorImplementation, hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly ("memory-safe") {
            clone := create(0, add(code, 32), mload(code))
        }
        if (clone == address(0)) revert CloneFailed();
    }

    function _isOurs(address account, address clone) private view returns (bool) {
        return account == address(this) || account == address(executorImplementation) || account == clone;
    }

    /// @dev The only transferFrom in the system. Measures the received amount, because tokens may take fees.
    function _pull(address asset, address clone, uint256 amount) private returns (uint256) {
        uint256 before = _balanceOf(asset, clone);
        _callToken(asset, abi.encodeCall(IERC20.transferFrom, (msg.sender, clone, amount)));
        return _rise(_balanceOf(asset, clone), before);
    }
}
